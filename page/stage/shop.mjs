// The instrument of day 8: people press, the limiter lets some in, the script sells, the queue holds,
// the consumer writes. Every number in the picture is a reply of the server.

import { box, circle, cross, word } from './boxes.mjs';
import { Instrument } from './instrument.mjs';
import { worst } from './measures.mjs';
import { Night, TICK_MS } from './night.mjs';
import { calm, presses, seconds } from './shell.mjs';
import { Grid, range } from './squares.mjs';

const FACTS = { command: 'the books, in one look', pressed: 'presses', busiest: 'busiest second', again: 'delivered a second time', took: 'commands', server: 'server' };
const NOTE = 'The set rows:{2001} stands for the SQL table: who is in it already is not written again.';
const SPEED = 2; // seconds of the night in one second here
const LIVE = ['limit', 'drain']; // can be turned while the doors are open

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const number = n => n.toLocaleString('en').replace('-', '−');

/** The picture of this moment: { svg, height }. */
export function scene(night, width) {
  const { settings, books, people } = night;
  const by = state => people.filter(person => person.state === state).map(({ k }) => k);
  const states = { coming: by('coming'), away: by('away'), bought: by('bought'), late: by('late') };
  const pitch = width / 5;
  const wide = Math.min(112, pitch - 14);
  const middle = k => pitch * (k + 0.5);
  const road = [
    ['People', number(states.coming.length + states.away.length)],
    ['Limit', `${settings.limit}/s`],
    ['Stock', number(books.stock)],
    ['Queue', number(books.waiting)],
    ['Table', number(books.rows)],
  ];
  let svg = road.map((lines, k) => box(middle(k) - wide / 2, 1, wide, 50, lines, k === 4 ? 'write' : '')).join('');
  svg += range(0, 4).map(k => (k === 3 && night.isDead ? '' : `<path class="flow" d="M${middle(k) + wide / 2 + 4} 26h${pitch - wide - 8}m-5 -4l5 4l-5 4"/>`)).join('');
  const under = (k, first, second, kind = '') => word(middle(k), 70, first, kind, 'middle') + word(middle(k), 87, second, kind, 'middle');
  if (night.refused) svg += under(1, number(night.refused), width > 480 ? 'turned away' : 'refused', 'away');
  if (night.late) svg += under(2, number(night.late), 'sold out');
  if (night.isDead) svg += cross((middle(3) + middle(4)) / 2, 26, 6) + under(4, 'consumer', 'dead', 'bad');
  else svg += under(4, `${settings.drain} a second`, books.pending ? `${books.pending} pending` : '');
  const crowd = new Grid(width, { rows: Math.ceil(people.length / 50), most: 50, widest: 13 });
  let y = 128;
  svg += word(0, y - 11, 'people', 'strong') + word(width, y - 11, `${states.bought.length} bought · ${states.late.length} sold out · ${states.away.length} coming back`, '', 'end');
  svg += ['coming', 'away', 'bought', 'late'].map(state => crowd.draw(state, states[state], y)).join('');
  y += crowd.height + 40;
  const things = new Grid(width, { rows: Math.ceil(settings.stock / 25), widest: 22 });
  const sum = books.stock + books.waiting + books.rows;
  svg += word(0, y - 11, 'things', 'strong') + word(width, y - 11, 'written · in the queue · in stock', '', 'end');
  const ends = [0, books.rows, books.rows + books.waiting, sum];
  svg += ['sold', 'flight', 'stock'].map((kind, k) => {
    const places = range(Math.min(ends[k], settings.stock), Math.min(ends[k + 1], settings.stock));
    return things.draw(kind, places, y) + (kind === 'flight' ? things.draw('rim', places, y) : '');
  }).join('');
  svg += things.draw('over', range(Math.min(sum, settings.stock), Math.max(sum, settings.stock)).slice(0, 2 * things.rows), y); // lost, or sold too often
  y += things.height + 22;
  const isWell = night.balances;
  svg += (isWell ? circle(7, y - 5, 5) : cross(7, y - 5, 5)) + word(22, y, `stock ${number(books.stock)} + in queue ${books.waiting} + ordered ${books.rows} = ${number(sum)}${isWell ? '' : `, not ${settings.stock}`}`, isWell ? 'strong' : 'bad');
  return { svg, height: Math.ceil(y + 10) };
}

export class Shop extends Instrument {
  night = null;
  #show = 0; // each opening has a number, so that an older one stops

  constructor(root, day, server) {
    super(root, day, server, {
      on: ', on the scripts of the day',
      beside: [day.door],
      picture: `<svg class="plot scene shop" role="img" aria-label="The shop, once Redis is awake"></svg><p class="note">${NOTE}</p>`,
      buttons: [['open', 'Open the doors'], ['attack', 'Break it', 'strong']],
      quiet: [['reset', 'Reset']],
      facts: FACTS,
    });
    this.scene = this.canvas('.scene');
  }

  begin(ring) {
    this.ring = ring;
    return this.close();
  }

  get isOpen() {
    return this.night?.nowMs > 0 && !this.night.isOver && !this.isBroken;
  }

  /** Everything is in place, and nobody has come yet. */
  close() {
    return this.#watched(++this.#show, async () => {
      this.shell.editor.show(null);
      this.draw();
      this.shell.say();
    });
  }

  /** Lets everybody in; with a plan, the consumer dies on the way. */
  open(plan = null) {
    const show = ++this.#show;
    return this.#watched(show, async () => {
      const { night, server, shell } = this;
      night.plan = plan;
      shell.editor.show(null);
      while (!night.isOver && this.#show === show) {
        const fromMs = performance.now();
        const { deaths, isDead } = night;
        await server.alone(() => night.tick());
        if (this.#show !== show) return;
        if (calm()) continue;
        this.draw();
        if (night.deaths > deaths || night.isDead !== isDead) shell.say();
        await pause(Math.max(0, TICK_MS / SPEED - (performance.now() - fromMs)));
      }
      if (this.#show !== show) return;
      this.draw();
      shell.say();
    });
  }

  again() {
    return this.open();
  }

  attack() {
    if (!this.isOpen) return this.open('middle');
    this.night.plan = 'now';
    return undefined;
  }

  reset() {
    this.restore();
    return this.close();
  }

  turn(name, value) {
    super.turn(name, value);
    if (this.isOpen && LIVE.includes(name)) this.night.settings[name] = value;
    else this.close();
  }

  /** Prepares a new night and does the work, unless a later one has begun; tells of a script's fault. */
  async #watched(show, work) {
    const { server, shell } = this;
    this.isBroken = false;
    try {
      const night = new Night(server, { sale: shell.editor.text, ring: this.ring }, { ...this.settings });
      await server.alone(() => night.open());
      if (this.#show !== show) return;
      this.night = night;
      await work();
    } catch (error) {
      this.caught(error);
      this.isBroken = true;
    }
  }

  draw() {
    const { night, shell } = this;
    const width = this.scene.clientWidth;
    if (!night || !width) return;
    const { svg, height } = scene(night, width);
    this.scene.setAttribute('height', height);
    this.scene.innerHTML = svg;
    const [head, detail] = this.#words();
    shell.headline(head, detail);
    const { stock, buyers, queued, pending, rows, waiting } = night.books;
    this.scene.setAttribute('aria-label', `${shell.part('.headline').textContent} Stock ${stock}, in queue ${waiting}, ordered ${rows}.`);
    shell.facts({
      command: `GET stock → ${stock} · SCARD buyers → ${buyers} · XLEN orders → ${queued} · XPENDING orders → ${pending} · SCARD rows → ${rows}`,
      pressed: `${number(night.presses)}: ${number(night.admitted.length)} let in`,
      busiest: `${worst(night.admitted, 1000).count} let in`,
      again: `${night.again} of ${night.deliveries}`,
      took: `${number(night.commands)} in ${night.tookMs.toFixed(0)} ms`,
    });
  }

  #words() {
    const { night } = this;
    const { settings, books } = night;
    const died = night.deaths ? ` The consumer died ${night.deaths > 1 ? `${night.deaths} times` : 'once'} between writing and acknowledging: ${night.again} orders came again, and none is written twice.` : '';
    if (!night.balances) return [`The books do not balance: <b class="bad">${number(books.stock + books.waiting + books.rows)}</b> of <b>${settings.stock}</b>.`, `stock ${number(books.stock)}, in queue ${books.waiting}, ordered ${books.rows}; ${books.buyers} buyers.`];
    if (!night.nowMs) return [`<b>${number(settings.people)}</b> people, <b>${settings.stock}</b> things. Open the doors.`, `All press within one second; the door lets in ${settings.limit} a second, and who is turned away comes back when told.`];
    if (!night.isOver) {
      if (night.isDead) return [`The consumer is <b class="bad">dead</b>, and <b>${books.waiting}</b> orders wait.`, `${seconds(night.nowMs)}: ${books.pending} more are written and not acknowledged. The queue keeps them all.`];
      return [`<b>${books.buyers}</b> of <b>${settings.stock}</b> sold.`, `${seconds(night.nowMs)}: ${books.waiting} in the queue, ${books.rows} written.${died}`];
    }
    return [
      `<b class="well">${books.buyers}</b> sold, <b class="well">${books.rows}</b> rows, nobody twice.`,
      `${number(settings.people)} people, ${presses(night.presses)}: all is done after ${seconds(night.nowMs)}.${died}`,
    ];
  }
}
