// Opening night, step by step on a real server: a limiter at the door, the sale's script, the stream,
// and a consumer that may die. Nothing here is drawn; the instrument and the tests both play it.

export const TICK_MS = 100;
const MOMENT_MS = 10; // presses fall on whole hundredths
const SECOND_MS = 1000;
const WORK_MS = 200; // the consumer takes a batch so often
const DOWN_MS = 1500; // how long a dead consumer stays away
const GROUP = 'orders';
const CONSUMER = 'consumer-1';
const NAMES = ['limit:{2001}', 'seckill:stock:{2001}', 'seckill:users:{2001}', 'seckill:orders:{2001}', 'rows:{2001}'];

// One look at everything, in one step: nothing moves while it counts.
const BOOKS = `
local waiting = 0
for _, entry in ipairs(redis.call('XRANGE', KEYS[3], '-', '+')) do
  local fields = entry[2]
  for i = 1, #fields, 2 do
    if fields[i] == 'user' and redis.call('SISMEMBER', KEYS[4], fields[i + 1]) == 0 then waiting = waiting + 1 end
  end
end
return {tonumber(redis.call('GET', KEYS[1])), redis.call('SCARD', KEYS[2]), redis.call('XLEN', KEYS[3]),
  redis.call('XPENDING', KEYS[3], '${GROUP}')[1], redis.call('SCARD', KEYS[4]), waiting}`;

export class Night {
  nowMs = 0;
  presses = 0;
  refused = 0; // presses that the limiter turned away
  admitted = []; // when presses were let in, ms
  late = 0; // people who heard "sold out"
  bought = 0; // people who heard "bought"
  deliveries = 0;
  again = 0; // deliveries of orders that were in the table already
  deaths = 0;
  commands = 0;
  tookMs = 0;
  books = null;
  #credit = 0;
  #backMs = null; // when the dead consumer comes back
  #isNew = false; // it has not looked yet at what is pending
  #dice;

  /** `server` is a PageServer or what plays like one; `settings`: { people, limit, stock, drain }. */
  constructor(server, { sale, ring }, settings, seed = 8) {
    Object.assign(this, { server, settings, sources: { main: sale, ring, books: BOOKS } });
    this.keys = NAMES.map(name => server.key(name));
    this.people = Array.from({ length: settings.people }, (_, k) => ({ k, state: 'coming', atMs: MOMENT_MS * Math.floor((k * SECOND_MS) / settings.people / MOMENT_MS) }));
    this.plan = null; // 'middle' or 'now': the consumer dies then
    this.#dice = seed;
  }

  get isDead() {
    return this.#backMs !== null;
  }

  /** Everybody has an answer, and every order is written and acknowledged. */
  get isOver() {
    return !this.isDead && this.books.queued === 0 && this.people.every(({ state }) => state === 'bought' || state === 'late');
  }

  /** What the server counted adds up: each thing is in one place. */
  get balances() {
    const { stock, waiting, rows, buyers } = this.books;
    return stock >= 0 && stock + waiting + rows === this.settings.stock && stock + buyers === this.settings.stock;
  }

  async open() {
    const [, stock, , orders] = this.keys;
    await this.#play([['SET', stock, this.settings.stock], ['XGROUP', 'CREATE', orders, GROUP, 0, 'MKSTREAM']], { fresh: true, scripts: this.sources, clear: this.keys });
    await this.#count([]);
  }

  /** A tenth of a second: who presses now is answered, and the consumer works on. */
  async tick() {
    const untilMs = this.nowMs + TICK_MS;
    const due = this.people.filter(({ state, atMs }) => (state === 'coming' || state === 'away') && atMs < untilMs).sort((a, b) => a.atMs - b.atMs || a.k - b.k);
    await this.#sell(await this.#askLimiter(due, untilMs));
    if (this.isDead && this.nowMs >= this.#backMs) {
      this.#backMs = null;
      this.#isNew = true;
    }
    this.nowMs = untilMs;
    this.#credit = Math.min(this.#credit + (this.settings.drain * TICK_MS) / SECOND_MS, (this.settings.drain * WORK_MS) / SECOND_MS + 1);
    await this.#count(!this.isDead && untilMs % WORK_MS === 0 ? await this.#deliver() : []);
  }

  /** The door. Whoever is refused comes back after the time told, and up to a second more. */
  async #askLimiter(due, untilMs) {
    if (!due.length) return [];
    const { slow } = this.server;
    const calls = due.map(({ atMs }) => ({ atMs, words: ['EVALSHA', { script: 'ring' }, 1, this.keys[0], this.settings.limit, SECOND_MS * slow, 1, { now: true }] }));
    const replies = await this.#play(calls, { scripts: { ring: this.sources.ring } });
    this.presses += due.length;
    return due.filter((person, n) => {
      const [allowed, , retryMs] = replies[n];
      if (allowed === 1) this.admitted.push(person.atMs);
      else {
        const waitMs = retryMs / slow + this.#random() * SECOND_MS;
        Object.assign(person, { state: 'away', atMs: Math.max(untilMs, MOMENT_MS * Math.ceil((person.atMs + waitMs) / MOMENT_MS)) });
        this.refused++;
      }
      return allowed === 1;
    });
  }

  async #sell(admitted) {
    if (!admitted.length) return;
    const [, stock, buyers, orders] = this.keys;
    const replies = await this.#play(admitted.map(({ k, atMs }) => ({ atMs, words: ['EVALSHA', { script: 'main' }, 3, stock, buyers, orders, `p${k + 1}`, '2001'] })), { scripts: { main: this.sources.main } });
    for (const [n, person] of admitted.entries()) {
      person.state = [replies[n]].flat()[0] === 1 ? 'bought' : 'late';
      this[person.state]++;
    }
  }

  /** What the stream hands to the consumer now: [[entry_id, user]]. A new one asks for what is pending first. */
  async #deliver() {
    const orders = this.keys[3];
    const read = (count, from) => ['XREADGROUP', 'GROUP', GROUP, CONSUMER, 'COUNT', count, 'STREAMS', orders, from];
    const count = Math.floor(this.#credit);
    if (!count && !this.#isNew) return [];
    const [reply] = await this.#play([this.#isNew ? read(this.settings.stock, 0) : read(count, '>')]);
    const entries = (reply?.[0]?.[1] ?? []).map(([id, fields]) => [id, fields[fields.indexOf('user') + 1]]);
    this.#isNew = false;
    this.#credit = Math.max(0, this.#credit - entries.length);
    this.deliveries += entries.length;
    return entries;
  }

  /** Writes rows, acknowledges unless it dies in between, and counts everything. */
  async #count(entries) {
    const [, stock, buyers, orders, rows] = this.keys;
    const steps = entries.map(([, user]) => ['SADD', rows, user]); // a unique key: who is there already is not added
    if (entries.length && this.#diesNow(entries.length)) {
      this.#backMs = this.nowMs + DOWN_MS;
      this.deaths++;
      this.plan = null;
    } else if (entries.length) {
      const ids = entries.map(([id]) => id);
      steps.push(['XACK', orders, GROUP, ...ids], ['XDEL', orders, ...ids]);
    }
    const replies = await this.#play([...steps, ['EVALSHA', { script: 'books' }, 4, stock, buyers, orders, rows]], { scripts: { books: BOOKS } });
    this.again += replies.slice(0, entries.length).filter(added => added === 0).length;
    const [left, people, queued, pending, written, waiting] = replies.at(-1);
    this.books = { stock: left, buyers: people, queued, pending, rows: written, waiting };
  }

  #diesNow(batch) {
    const half = Math.min(this.settings.stock, this.settings.people) / 2;
    return this.plan === 'now' || (this.plan === 'middle' && this.books.rows + batch >= half);
  }

  #random() {
    this.#dice = (this.#dice * 48271) % 2147483647;
    return this.#dice / 2147483647;
  }

  async #play(calls, job = {}) {
    const steps = calls.map(call => (Array.isArray(call) ? { atMs: this.nowMs, words: call } : call)).map(({ atMs, words }) => ({ at: atMs * this.server.slow, words }));
    const { replies, fault, tookMs } = await this.server.play({ fresh: false, ...job, steps });
    if (fault) throw Object.assign(new Error(fault.message), { isFault: true });
    this.commands += steps.length;
    this.tookMs += tookMs;
    return replies;
  }
}
