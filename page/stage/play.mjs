// Plays a job on a Redis whose clock we hold: the worker of a page does, and so do the tests in Node.
//
// A job: { fresh, scripts: { name: lua }, clear: [keys], steps: [{ at, words }], goOn, raw }.
// With `raw`, the name of a wire, words are bytes and replies tell OK from "OK", see redis_cli.mjs; errors are
// replies, and each name keeps a wire of its own, so that MULTI and EXEC belong together.
// With `goOn` an error is a reply, { error }, and does not end the job.
// `at` counts milliseconds from the beginning of the run; `fresh` begins one, at a whole minute.
// A word may be { script: name } for a script's SHA1 or { now: true } for the time in ms since 1970
// ({ now: 's' }: in s).

import { pack, unpack } from './redis_cli.mjs';

export const WAITS = 'This command waits for somebody else, and nobody comes here.';
const NOON_MS = Date.UTC(2026, 6, 30, 12);
const MINUTE_MS = 60_000;

export class Player {
  #redis;
  #clock;
  #beganMs = 0;
  #wires = new Map();

  /** Starts a server from an engine.mjs module. */
  static async start({ Redis, Clock }) {
    const player = new Player();
    player.#clock = new Clock();
    player.#clock.hold(NOON_MS);
    // a script without an end is ended with its worker, by whoever waits for it
    player.#redis = await Redis.start({ clock: player.#clock, settings: { 'busy-reply-threshold': 0 } });
    return player;
  }

  get version() {
    return this.#redis.version;
  }

  /** { shas: { name: SHA1 }, replies: [values], fault }. `fault` is { step, message } of the first error, which ends the job;
   *  its step is −1 when a script does not compile. */
  play({ fresh = true, scripts = {}, clear = [], steps = [], goOn = false, raw = null }) {
    if (fresh) this.#beganMs = (Math.floor(this.#clock.nowMs() / MINUTE_MS) + 1) * MINUTE_MS;
    const shas = {};
    const replies = [];
    let step = -1;
    try {
      for (const [name, lua] of Object.entries(scripts)) shas[name] = this.#redis.load(lua);
      if (clear.length) this.#redis.command('DEL', ...clear);
      for (step = 0; step < steps.length; step++) {
        const { at = 0, words } = steps[step];
        const nowMs = this.#beganMs + at;
        if (nowMs > this.#clock.nowMs()) this.#clock.hold(nowMs);
        if (raw) {
          replies.push(this.#askRaw(raw, words));
          continue;
        }
        const given = words.map(word => (word.script ? shas[word.script] : word.now ? (word.now === 's' ? Math.floor(nowMs / 1000) : nowMs) : word));
        const reply = this.#redis.ask(...given);
        if (!(reply instanceof Error)) replies.push(reply);
        else if (goOn) replies.push({ error: reply.message });
        else throw reply;
      }
    } catch (error) {
      if (error.name !== 'ReplyError') throw error;
      return { shas, replies, fault: { step, message: error.message } };
    }
    return { shas, replies, fault: null };
  }

  #askRaw(name, words) {
    const wire = this.#wires.get(name) ?? this.#redis.connect();
    this.#wires.set(name, wire);
    this.#redis.feed(wire, pack(words));
    const answer = unpack(Array.from(this.#redis.take(wire), byte => String.fromCharCode(byte)).join(''));
    if (answer) return answer.reply;
    this.#redis.close(wire);
    this.#wires.delete(name);
    return { status: WAITS };
  }
}
