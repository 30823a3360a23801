// Redis itself, in this page: starts the server that build.sh compiled and speaks its protocol.
// Runs in a worker of a browser and in Node. A script that finds no end stops whatever thread it
// runs in, so on a page always start Redis inside a worker.

const HERE = new URL('.', import.meta.url);
const IN_NODE = typeof process === 'object' && !!process.versions?.node;
const UTF8_IN = new TextEncoder();
const UTF8_OUT = new TextDecoder();

/** An error reply of Redis; `code` is its first word: ERR, WRONGTYPE, NOSCRIPT ... */
export class ReplyError extends Error {
  name = 'ReplyError';
  get code() {
    return this.message.split(' ', 1)[0];
  }
}

/** The clock that Redis reads. It runs with the host's, until the page holds or moves it. */
export class Clock {
  #steadyMs;
  #epochMs;
  #movedMs = 0;
  #heldMs = null;
  #lastUs = 0;

  /** `steadyMs()` never steps back; `epochMs` is what to add to it for milliseconds since 1970. */
  constructor(steadyMs = () => performance.now(), epochMs = performance.timeOrigin) {
    this.#steadyMs = steadyMs;
    this.#epochMs = epochMs;
  }

  get held() {
    return this.#heldMs !== null;
  }

  /** Milliseconds since 1970 by this clock. */
  nowMs() {
    return this.#heldMs ?? this.#epochMs + this.#movedMs + this.#steadyMs();
  }

  /** Stands still from now on, at `atMs` if given; looks within one moment all see the same time. */
  hold(atMs = this.nowMs()) {
    if (atMs * 1000 < this.#lastUs) throw new RangeError('Redis has seen a later time; its clock cannot go back.');
    this.#heldMs = atMs;
  }

  /** Lets `ms` pass at once, held or not. */
  advance(ms) {
    if (!(ms >= 0)) throw new RangeError(`A clock goes forward: ${ms} ms is not at least 0.`);
    if (this.held) this.#heldMs += ms;
    else this.#movedMs += ms;
  }

  /** Runs on from where it stands. */
  release() {
    if (!this.held) return;
    this.#movedMs += this.#heldMs - (this.#epochMs + this.#movedMs + this.#steadyMs());
    this.#heldMs = null;
  }

  /** What Redis asks. Browsers round their clocks, so a running one adds the missing microsecond:
   *  a script that orders by TIME's microseconds sees a later number each time. */
  wallUs() {
    const us = Math.floor(this.nowMs() * 1000);
    this.#lastUs = us > this.#lastUs ? us : this.#lastUs + (this.held ? 0 : 1);
    return this.#lastUs;
  }

  /** For intervals, such as how long a script has run: goes on while the wall clock is held. */
  steadyUs() {
    return Math.floor((this.#steadyMs() + this.#movedMs) * 1000);
  }
}

const inBytes = text => (/^[\x00-\x7f]*$/.test(text) ? text.length : UTF8_IN.encode(text).length);

/** A command as the protocol writes it: an array of strings, each with its length in bytes. */
export function encode(words) {
  const bulks = words.map(String).map(word => `$${inBytes(word)}\r\n${word}\r\n`);
  return UTF8_IN.encode(`*${words.length}\r\n${bulks.join('')}`);
}

/** One reply from the front of `bytes`: { value, length }, or null while it is not all there.
 *  Bulk strings are read as UTF-8, integers as numbers, an error becomes a ReplyError (not thrown). */
export function decode(bytes, from = 0) {
  let end = from;
  while (bytes[end] !== 13 || bytes[end + 1] !== 10) if (++end >= bytes.length) return null;
  const head = UTF8_OUT.decode(bytes.subarray(from + 1, end));
  let at = end + 2;
  switch (String.fromCharCode(bytes[from])) {
    case '+': return { value: head, length: at - from };
    case '-': return { value: new ReplyError(head), length: at - from };
    case ':': return { value: Number(head), length: at - from };
    case '$': {
      const size = Number(head);
      if (size < 0) return { value: null, length: at - from };
      if (bytes.length < at + size + 2) return null;
      return { value: UTF8_OUT.decode(bytes.subarray(at, at + size)), length: at + size + 2 - from };
    }
    case '*': {
      const count = Number(head);
      if (count < 0) return { value: null, length: at - from };
      const value = [];
      for (let i = 0; i < count; i++) {
        const item = decode(bytes, at);
        if (!item) return null;
        value.push(item.value);
        at += item.length;
      }
      return { value, length: at - from };
    }
  }
  throw new Error(`Not a reply of Redis's protocol: it begins with ${JSON.stringify(String.fromCharCode(bytes[from]))}.`);
}

const SETTINGS = {
  port: '0', // listen nowhere
  'protected-mode': 'no',
  save: '', // no forks in a page, so nothing to save with
  maxmemory: '256mb',
  loglevel: 'warning',
  'busy-reply-threshold': '2000', // ms; then the page sends SCRIPT KILL, see #whileBusy
  'enable-debug-command': 'yes',
};

async function compiledServer() {
  const url = new URL('redis.wasm', HERE);
  if (IN_NODE) return WebAssembly.compile(await (await import('node:fs/promises')).readFile(url));
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`Redis could not be loaded: ${url.pathname} answered ${answer.status}.`);
  // the streaming form insists on the MIME type application/wasm, which not every host sends
  return answer.headers.get('content-type')?.startsWith('application/wasm')
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}

/** One server. `Redis.start()` gives it; command() speaks on a wire of its own. */
export class Redis {
  #module;
  #own;
  #watch;
  clock;
  version;

  /** Boots a server of its own: `clock` to move its time, `settings` as in redis.conf. */
  static async start({ clock = new Clock(), settings = {}, log = () => {} } = {}) {
    const [compiled, { default: createRedis }] = await Promise.all([
      compiledServer(),
      import(new URL('redis.mjs', HERE).href),
    ]);
    const redis = new Redis();
    redis.clock = clock;
    redis.#module = await createRedis({
      clock,
      whileBusy: () => redis.#whileBusy(),
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(compiled, imports).then(instance => done(instance));
        return {};
      },
      print: log,
      printErr: log,
    });
    redis.#module.callMain(Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [`--${name}`, String(value)]));
    redis.#own = redis.connect();
    redis.#watch = redis.connect();
    redis.version = /redis_version:(\S+)/.exec(redis.command('INFO', 'server'))[1];
    return redis;
  }

  /** Sends one command and returns its reply; an error reply is thrown as a ReplyError. */
  command(...words) {
    const reply = this.ask(...words);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  /** The same, but an error reply is returned. A command that waits (BLPOP) gets undefined. */
  ask(...words) {
    this.feed(this.#own, encode(words));
    const reply = decode(this.peek(this.#own));
    if (!reply) {
      // nobody may wait in the one thread there is: give the wire up, so that the next command is not mixed up
      this.close(this.#own);
      this.#own = this.connect();
      return undefined;
    }
    this.#module._wire_consume(this.#own, reply.length);
    return reply.value;
  }

  /** Loads a script and gives its SHA1; a script that does not compile throws. */
  load(lua) {
    return this.command('SCRIPT', 'LOAD', lua);
  }

  evalsha(sha, keys = [], args = []) {
    return this.command('EVALSHA', sha, keys.length, ...keys, ...args);
  }

  // ── Wires: a client's bytes, for those who bring their own protocol (redis-py, a test bridge) ──

  /** A new client connection; its id. */
  connect() {
    const id = this.#module._wire_connect();
    if (id < 0) throw new Error('Too many connections: this Redis has 512. Close some that are no longer used.');
    return id;
  }

  close(id) {
    this.#module._wire_close(id);
  }

  /** Hands bytes to Redis, which works them off at once; false when it has hung up. */
  feed(id, bytes) {
    const at = this.#module._malloc(bytes.length || 1);
    this.#module.HEAPU8.set(bytes, at);
    try {
      return this.#module._wire_feed(id, at, bytes.length) === 0;
    } finally {
      this.#module._free(at);
    }
  }

  /** Bytes waiting on a wire; -1 when there are none and Redis has hung up. */
  ready(id) {
    return this.#module._wire_ready(id);
  }

  /** A view of what is waiting; valid until the next call. */
  peek(id) {
    const from = this.#module._wire_bytes(id);
    return this.#module.HEAPU8.subarray(from, from + Math.max(0, this.ready(id)));
  }

  /** Takes up to `most` of the waiting bytes. */
  take(id, most = Infinity) {
    const bytes = this.peek(id).slice(0, most);
    this.#module._wire_consume(id, bytes.length);
    return bytes;
  }

  /** Lets Redis's timers fire: expiry, blocked clients whose time is over. */
  tick() {
    this.#module._wire_tick();
  }

  /** A script has overrun: do what an operator would, from another connection. Redis refuses once
   *  the script has written; then only the end of the worker ends it. */
  #whileBusy() {
    this.feed(this.#watch, encode(['SCRIPT', 'KILL']));
    this.take(this.#watch);
  }
}
