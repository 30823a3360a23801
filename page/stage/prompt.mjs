// The instrument of day 0: a line of redis-cli on the real server, the keys that are there, and a clock
// that the reader lets go on.

import { Instrument } from './instrument.mjs';
import { escape } from './lua.mjs';
import { bytesOf, format, plain, splitLine } from './redis_cli.mjs';

const FACTS = { clock: 'passed on this clock', took: 'last line', server: 'server' };
const SHOWN = 9; // keys in the list
const MARKER = 'rush:owner'; // the course's mark in a shared database is nobody's key
const ENDLESS = new Set(['MONITOR', 'SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE', 'SYNC', 'PSYNC', 'HELLO']);
const ELSEWHERE = new Set([
  ...['SHUTDOWN', 'DEBUG', 'CONFIG', 'MODULE', 'ACL', 'AUTH', 'CLIENT', 'QUIT', 'RESET', 'SELECT', 'SWAPDB', 'MOVE', 'FLUSHALL'],
  ...['REPLICAOF', 'SLAVEOF', 'FAILOVER', 'CLUSTER', 'SAVE', 'BGSAVE', 'BGREWRITEAOF'],
]);

const lifeOf = ms => (ms < 0 ? 'never ends' : ms < 120_000 ? `${Math.ceil(ms / 1000)} s` : `${Math.ceil(ms / 60_000)} min`);
const clockOf = ms => `${Math.floor(ms / 60_000)} min ${Math.floor(ms / 1000) % 60} s`;

const PICTURE = lines => `
  <div class="terminal" tabindex="0" role="log" aria-live="off" aria-label="What was asked, and what Redis answered"></div>
  <form class="ask"><span aria-hidden="true">redis&gt;</span><input type="text" name="line" enterkeyhint="send" autocomplete="off" autocapitalize="off" spellcheck="false"
    aria-label="A line for Redis. Enter sends it, the arrow up brings back the one before."><button>Send</button></form>
  <div class="lines" role="group" aria-label="Lines of the lesson, ready to send">${lines.map(line => `<button type="button" value="${escape(line)}">${escape(line)}</button>`).join('')}</div>`;

const KEYS = '<table class="keys"><caption>keys that are there now</caption><thead><tr><th scope="col">key</th><th scope="col">type</th><th scope="col">life left</th></tr></thead><tbody></tbody></table>';

export class Prompt extends Instrument {
  log = []; // { line, reply } or { passed }
  keys = []; // { name, type, lifeMs }, names as bytes
  atMs = 0;
  #sent = []; // for the arrows
  #back = 0;
  #own = new Set(); // keys that came with a line from here
  #isFresh = true;
  #turn = Promise.resolve();

  constructor(root, day, server) {
    super(root, day, server, {
      on: '',
      picture: PICTURE(day.lines),
      aside: KEYS,
      buttons: [['second', 'A second passes'], ['minute', 'A minute passes']],
      quiet: [['reset', 'Reset']],
      facts: FACTS,
    });
    const { shell } = this;
    this.terminal = shell.part('.terminal');
    this.input = shell.part('.ask input');
    shell.part('.ask').addEventListener('submit', () => {
      this.send(this.input.value);
      this.input.value = '';
    });
    shell.part('.lines').addEventListener('click', ({ target }) => target.value && this.send(target.value));
    this.input.addEventListener('keydown', event => this.#recall(event));
  }

  async begin() {
    await this.send(this.day.first);
    this.shell.headline('Redis is here. Ask it something.', 'Write a line below and press Enter, or press one that is ready.');
    this.shell.say();
  }

  /** Sends one line; the reply, or what redis-cli itself would say, stands in the transcript. */
  send(text) {
    const line = text.trim();
    if (!line) return this.#turn;
    this.#sent = [...this.#sent.filter(each => each !== line), line];
    this.#back = 0;
    return this.#next(async () => {
      const before = this.keys;
      const { reply, tookMs } = await this.#answer(line);
      this.log.push({ line, reply });
      await this.#look();
      this.#tell(before, `${line}: ${format(reply)}`);
      if (tookMs !== undefined) this.shell.facts({ took: `${tookMs.toFixed(1)} ms, there and back` });
    });
  }

  second() {
    return this.#pass(1000, 'A second passes.');
  }

  minute() {
    return this.#pass(60_000, 'A minute passes.');
  }

  /** Lets so many milliseconds go by at once. */
  #pass(ms, words) {
    return this.#next(async () => {
      const before = this.keys;
      this.atMs += ms + 1; // a key is there through its last millisecond, and gone in the next
      this.log.push({ passed: words });
      await this.#look();
      this.#tell(before, words);
    });
  }

  /** Clears what was asked and answered, and the keys that came with it. */
  reset() {
    return this.#next(async () => {
      if (this.#own.size) await this.#play([['DEL', ...this.#own]]);
      this.#own.clear();
      this.log = [];
      await this.#look();
      this.#show();
      this.shell.headline('Redis is here. Ask it something.', 'What you had written is gone.');
      this.shell.say();
    });
  }

  #next(work) {
    return (this.#turn = this.#turn.then(work));
  }

  /** The keys before and after a line tell which came with it: only those are ever cleared. */
  async #answer(line) {
    let words;
    try {
      words = splitLine(line);
    } catch (error) {
      return { reply: { status: error.message } };
    }
    const name = plain(words[0]).toUpperCase();
    if (ENDLESS.has(name)) return { reply: { error: bytesOf(`${plain(words[0])} needs a redis-cli in a terminal of its own`) } };
    if (ELSEWHERE.has(name)) return { reply: { error: bytesOf(`${plain(words[0])} is for a server of your own; here it is left out`) } };
    const scan = ['SCAN', '0', 'COUNT', '10000'];
    const [before] = await this.#play([scan]);
    const told = await this.#ask(words);
    if (told.fault) return { reply: { status: bytesOf(told.fault.message) } };
    const [after] = await this.#play([scan]);
    const had = new Set(before[1]?.map(({ text }) => text));
    for (const { text } of after[1] ?? []) if (!had.has(text)) this.#own.add(text);
    return { reply: told.replies[0], tookMs: told.tookMs };
  }

  async #look() {
    const [scan] = await this.#play([['SCAN', '0', 'COUNT', '10000']]);
    const names = (scan[1] ?? []).map(({ text }) => text).filter(name => name !== MARKER);
    names.sort((a, b) => this.#own.has(b) - this.#own.has(a) || (a < b ? -1 : 1));
    const told = await this.#play(names.flatMap(name => [['TYPE', name], ['PTTL', name]]));
    this.keys = names.map((name, k) => ({ name, type: told[2 * k].status, lifeMs: Number(told[2 * k + 1].integer) })).filter(({ lifeMs }) => lifeMs !== -2);
  }

  /** The server's answer to one line. A Redis that had to be started anew begins anew. */
  async #ask(words) {
    const answer = await this.#job('line', [words]);
    if (answer.fault) [this.atMs, this.#isFresh] = [0, true];
    return answer;
  }

  /** Replies to words of our own, on a wire of our own: the reader's may be inside a MULTI. */
  async #play(all) {
    const { replies, fault } = await this.#job('look', all);
    if (fault) throw new Error(fault.message);
    return replies;
  }

  async #job(raw, all) {
    const { server, atMs } = this;
    const job = { raw, fresh: this.#isFresh, keys: [...this.#own].map(plain), steps: all.map(words => ({ at: atMs, words })) };
    const answer = await server.alone(() => server.play(job));
    this.#isFresh = false;
    return answer;
  }

  #recall(event) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step) return;
    this.#back = Math.max(0, Math.min(this.#sent.length, this.#back + step));
    this.input.value = this.#back ? this.#sent.at(-this.#back) : '';
    event.preventDefault();
  }

  #tell(before, words) {
    const { shell, keys, server } = this;
    const there = new Set(keys.map(({ name }) => name));
    const ended = before.filter(({ name, lifeMs }) => lifeMs >= 0 && !there.has(name)).map(({ name }) => plain(name));
    const next = keys.filter(({ lifeMs }) => lifeMs >= 0).sort((a, b) => a.lifeMs - b.lifeMs)[0];
    const count = `<b>${keys.length}</b> ${keys.length === 1 ? 'key' : 'keys'}`;
    const head = this.log.at(-1).passed && ended.length ? `<b>${escape(ended.join(', '))}</b> has ended; ${count} left.` : next ? `${count}; <b>${escape(plain(next.name))}</b> ends in ${lifeOf(next.lifeMs)}.` : `${count}.`;
    shell.headline(head, next || ended.length ? (server.slow === 1 ? 'Time stands still here until you let it pass.' : 'The clock runs, and a button lets it run ahead.') : 'A key with EX and seconds behind its value ends by itself.');
    this.#show();
    shell.say(`${words} ${shell.part('.headline').textContent}`);
  }

  #show() {
    const { shell, terminal, keys, log } = this;
    terminal.innerHTML = log
      .map(({ line, reply, passed }) => (passed ? `<p class="passed">${passed}</p>` : `<p><span>redis&gt;</span> <b>${escape(line)}</b></p><pre class="${reply?.error === undefined ? '' : 'bad'}">${escape(format(reply))}</pre>`))
      .join('');
    terminal.scrollTop = terminal.scrollHeight;
    const rows = keys.slice(0, SHOWN).map(({ name, type, lifeMs }) => `<tr><td>${escape(plain(name))}</td><td>${escape(type)}</td><td class="${lifeMs < 0 ? '' : 'ends'}">${lifeOf(lifeMs)}</td></tr>`);
    if (keys.length > SHOWN) rows.push(`<tr><td colspan="3">and ${keys.length - SHOWN} more</td></tr>`);
    shell.part('.keys tbody').innerHTML = rows.join('') || '<tr><td colspan="3">none</td></tr>';
    shell.facts({ clock: clockOf(this.atMs) });
  }
}
