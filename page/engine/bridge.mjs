// A socket in front of the page's Redis, for tests that speak TCP: bridge.mjs PORT [redis.conf settings]
// Every connection is a wire. On loopback only; ends with its parent's input.

import net from 'node:net';
import { Redis } from './engine.mjs';

const TICK_MS = 10;
const [port, ...words] = process.argv.slice(2);
const settings = {};
for (let i = 0; i < words.length; i += 2) settings[words[i].replace(/^--/, '')] = words[i + 1];
const redis = await Redis.start({ settings });
const sockets = new Map(); // wire → socket

/** Hands out what Redis has written, to whomever. */
function flush() {
  for (const [wire, socket] of sockets) {
    const waiting = redis.ready(wire);
    if (waiting > 0) socket.write(redis.take(wire));
    else if (waiting < 0) socket.end();
  }
}

const server = net.createServer({ noDelay: true }, socket => {
  const wire = redis.connect();
  sockets.set(wire, socket);
  const close = () => {
    if (sockets.delete(wire)) redis.close(wire);
    flush(); // somebody may have waited for just that
  };
  socket.on('data', bytes => {
    redis.feed(wire, bytes);
    flush();
  });
  socket.on('close', close);
  socket.on('error', close);
});
server.listen(Number(port), '127.0.0.1', () => console.log(`ready on ${server.address().port}`));
setInterval(() => {
  redis.tick();
  flush();
}, TICK_MS);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
