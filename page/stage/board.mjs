// The instrument of day 7: a board. Who is pressed sells one more; every sale is an event with a name of
// its own, and an event that comes again must not count again.

import { Instrument } from './instrument.mjs';
import { escape, literal } from './lua.mjs';

const FACTS = { command: 'last command', reply: 'its reply', took: 'this event', server: 'server' };
const CROWD = 40;

/** Which member each event of a crowd falls to: the same crowd each time, the first ones oftener. */
export function crowdOf(size, members, seed = 7) {
  let state = seed;
  return Array.from({ length: size }, () => {
    state = (state * 48271) % 2147483647;
    return Math.floor((state / 2147483647) ** 2 * members);
  });
}

export class Board extends Instrument {
  events = []; // { id, member, points }
  rows = [];
  #last = Promise.resolve();

  constructor(root, day, server) {
    super(root, day, server, {
      picture: '<ol class="ranks"></ol>',
      buttons: [['crowd', 'Send a crowd'], ['attack', 'Break it', 'strong']],
      quiet: [['reset', 'Reset']],
      facts: FACTS,
    });
    this.list = this.shell.part('.ranks');
    this.list.addEventListener('click', ({ target }) => {
      const member = target.closest('button')?.value;
      if (member) this.press(member);
    });
  }

  begin() {
    return this.reset();
  }

  get keys() {
    return this.day.keys.map(name => this.server.key(name));
  }

  #event(member, points = this.settings.points) {
    const event = { id: `sale-${this.events.length + 1}`, member, points };
    this.events.push(event);
    return event;
  }

  press(member) {
    return this.#deliver([this.#event(member)], ([reply]) => `${member} has ${reply[0]} points now, rank ${reply[1]}.`);
  }

  crowd() {
    const { members } = this.day;
    return this.#deliver(crowdOf(CROWD, members.length).map(k => this.#event(members[k], 1)), () => `${CROWD} sales came in.`);
  }

  /** Everything comes once more, as a queue does after a crash. */
  attack() {
    if (!this.events.length) this.crowd();
    return this.#deliver(() => this.events, () => '', true);
  }

  reset() {
    this.events = [];
    this.shell.editor.text = this.shell.editor.lesson;
    return this.#deliver([], () => 'Press a member: each press is a sale.', false, true);
  }

  /** Everything from the beginning, with what stands in the editor now, each event once. */
  again() {
    return this.#deliver(() => this.events, () => 'The same sales once more, from an empty board.', false, true);
  }

  #deliver(which, words, isSecond = false, fresh = false) {
    this.#last = this.#last.then(async () => {
      const events = typeof which === 'function' ? which() : which;
      const { server, keys, shell, day } = this;
      const calls = events.map(({ id, member, points }) => ['EVALSHA', { script: 'main' }, 3, ...keys, member, points, id, 86400, 691200]);
      const steps = [...calls, ['ZREVRANGE', keys[0], 0, -1, 'WITHSCORES'], ...day.members.map(member => ['ZSCORE', keys[0], member])].map(each => ({ words: each }));
      const { replies, fault, shas, tookMs } = await server.alone(() => server.play({ fresh, scripts: { main: shell.editor.text }, clear: fresh ? keys : [], steps }));
      if (fault) return this.blame(fault.message);
      shell.editor.show(null);
      const order = replies[calls.length];
      const scores = new Map(day.members.map((member, k) => [member, Number(replies[calls.length + 1 + k] ?? 0)]));
      const points = [...scores.values()];
      this.rows = [...new Set([...order.filter((_, k) => k % 2 === 0), ...day.members])].map(member => ({
        member,
        points: scores.get(member),
        rank: scores.get(member) || order.includes(member) ? 1 + points.filter(each => each > scores.get(member)).length : null,
      }));
      if (calls.length) {
        shell.facts({ command: calls.at(-1).map(word => (word.script ? `${shas.main.slice(0, 8)}…` : word)).join(' '), reply: literal(replies[calls.length - 1]), took: `${calls.length} in ${tookMs.toFixed(0)} ms` });
      }
      this.#show(isSecond, words(replies));
      return shell.say();
    });
    return this.#last;
  }

  #show(isSecond, words) {
    const { events, rows, shell } = this;
    const right = events.reduce((sum, event) => sum + event.points, 0);
    const total = rows.reduce((sum, row) => sum + row.points, 0);
    const most = Math.max(1, ...rows.map(row => row.points));
    const focused = this.list.getRootNode().activeElement?.value;
    this.list.innerHTML = rows
      .map(
        ({ member, points, rank }) => `<li><button type="button" value="${escape(member)}" aria-label="${escape(member)}: ${points} points, ${rank ? `rank ${rank}` : 'not ranked'}. One more sale">
        <span class="rank">${rank ?? '–'}</span><span class="member">${escape(member)}</span><span class="length"><i style="width:${(points / most) * 100}%"></i></span><span class="points">${points}</span></button></li>`,
      )
      .join('');
    if (focused) this.list.querySelector(`button[value="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    const sales = `${events.length} ${events.length === 1 ? 'sale' : 'sales'}`;
    if (total !== right) shell.headline(`<b class="bad">${total}</b> points on the board, and <b>${right}</b> were earned.`, `${sales}; something was counted twice, or not at all.`);
    else if (isSecond) shell.headline(`Every sale came <b>twice</b>, and the board stands at <b class="well">${total}</b>.`, `${sales}: the script knows each by its name.`);
    else shell.headline(events.length ? `<b>${total}</b> points on the board, all earned.` : 'Press a member, or send a crowd.', words);
  }
}
