// The instrument of days 1 to 4: a limiter, a time axis, and crowds that the reader moves on it.

import * as axis from './axis.mjs';
import { afterKey, drawHandles, momentAfterKey, within } from './handles.mjs';
import { heap } from './heap.mjs';
import { Instrument, latest } from './instrument.mjs';
import { literal } from './lua.mjs';
import { curve, lives, worst } from './measures.mjs';
import { MOST, SPAN_MS, pressesOf, readSchedule, split, writeSchedule } from './schedule.mjs';
import { calm, presses, seconds } from './shell.mjs';
import { verdicts } from './verdicts.mjs';

const FACTS = { command: 'last command', reply: 'its reply', holds: 'what the key holds', life: 'life left (PTTL)', took: 'presses played', server: 'server' };
const MARGIN = { left: 22, right: 16 };
const POUR_MS = 160; // a crowd of one moment pours for that long at most

const PICTURE = `
  <div class="score" hidden><span></span><div class="meter"><i></i><b></b></div></div>
  <svg class="plot" height="${axis.HEIGHT}" role="group" aria-label="Every press on a time axis of three seconds, and below it how many were let in during the last window">
    ${['bands', 'grid', 'busy', 'marks', 'counts', 'graph', 'handles'].map(layer => `<g class="${layer}"></g>`).join('')}
    <g class="hand" role="slider" tabindex="0" aria-label="Moment of the next press" aria-valuemin="0" aria-valuemax="${SPAN_MS}"><path/><path class="knob"/></g>
  </svg>
  <form class="crowd-bar"><span class="hint">Drag a crowd by its handle, or press the arrow keys on it.</span>
    <span class="chosen-crowd" hidden><label><input type="number" name="n" min="1" max="${MOST}"> presses</label>
    <label>at <input type="number" name="t" min="0" max="${SPAN_MS}" step="1"> ms</label>
    <button type="button" class="quiet" data-act="split">Split</button><button type="button" class="quiet" data-act="remove">Remove</button></span></form>`;

export class Limiter extends Instrument {
  crowds = [];
  pressed = [];
  times = [];
  worst = worst([], 1);
  cursor = 0;
  chosen = null;
  /** Sends the whole schedule through Redis; with `from`, shows it again in time from there. */
  replay = latest(wish => this.#ask(wish));
  #frame = null;

  constructor(root, day, server, address = null) {
    super(root, day, server, {
      beside: day.rival ? [day.rival.script] : [],
      picture: PICTURE,
      buttons: [['press', 'Press once'], ['crowd', 'Send a crowd'], ['attack', 'Break it', 'strong']],
      quiet: [['reset', 'Reset'], ...(address ? [['share', 'Copy link']] : [])],
      facts: FACTS,
    });
    this.address = address;
    this.plot = this.canvas('.plot');
    this.bar = this.shell.part('.crowd-bar');
    this.layers = Object.fromEntries([...this.plot.children].map(layer => [layer.classList[0], layer]));
    this.plot.addEventListener('keydown', event => this.key(event));
    this.plot.addEventListener('pointerdown', event => this.grab(event));
    this.plot.addEventListener('focusin', ({ target }) => target.dataset.crowd && this.choose(Number(target.dataset.crowd)));
    this.bar.addEventListener('change', ({ target }) => this.#amend(target));
    this.bar.addEventListener('submit', event => event.preventDefault());
    this.read();
    address?.onChange(() => {
      this.read();
      this.replay();
    });
  }

  /** Plays the opening, or the schedule of the address. */
  begin(rival) {
    this.yesterday = this.day.rival && { ...this.day.rival, source: rival };
    return this.replay(this.address?.has ? {} : { from: 0, opening: true });
  }

  get limit() {
    return this.day.lines(this.settings)[0][0];
  }

  get windowMs() {
    return this.settings.window ?? 1000;
  }

  get name() {
    return this.windowMs === 1000 ? 'one second' : seconds(this.windowMs);
  }

  // ── What a reader can do ──

  again() {
    return this.replay({ from: 0 });
  }

  /** n more presses at the marker. */
  press(n = 1) {
    const t = this.cursor < SPAN_MS ? Math.round(this.cursor / 10) * 10 : 0;
    const same = this.crowds.find(crowd => crowd.t === t && !crowd.every);
    if (same) same.n = Math.min(MOST, same.n + n);
    else this.crowds.push({ n, t, every: 0 });
    this.choose(null);
    return this.replay({ from: t });
  }

  crowd() {
    return this.press(this.settings.crowd);
  }

  attack() {
    const { day, shell } = this;
    const kept = day.keeps ? { [day.keeps]: this.settings[day.keeps] } : {};
    this.take({ ...day.settings, crowd: this.settings.crowd, ...kept });
    if (day.sabotage) {
      shell.editor.text = day.sabotage(shell.editor.lesson);
      shell.editor.reveal('BROKEN');
    }
    return this.perform(day.attack(this.settings), { from: 0 });
  }

  reset() {
    this.restore();
    this.cursor = 0;
    return this.perform('', {});
  }

  perform(schedule, wish) {
    this.crowds = readSchedule(schedule);
    this.choose(null);
    return this.replay(wish);
  }

  turn(name, value) {
    super.turn(name, value);
    if (name !== 'crowd') this.replay();
  }

  split() {
    this.crowds.splice(this.chosen, 1, ...split(this.crowds[this.chosen]));
    this.choose(this.chosen);
    this.replay();
  }

  remove() {
    this.crowds.splice(this.chosen, 1);
    this.choose(null);
    this.layers.hand.focus();
    this.replay();
  }

  async share() {
    this.address.write(this.#saved());
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    this.shell.say(copied ? 'The address of this schedule is copied.' : 'The address of this page now holds your schedule.');
    const button = this.shell.part('[data-act=share]');
    button.textContent = copied ? 'Copied' : 'See the address';
    setTimeout(() => (button.textContent = 'Copy link'), 2000);
  }

  key(event) {
    const crowd = event.target.dataset.crowd;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (crowd === undefined) {
      const t = momentAfterKey(this.cursor, event);
      if (t === null) return;
      this.moveHand(t);
    } else {
      const crowds = afterKey(this.crowds, Number(crowd), event);
      if (!crowds) return;
      const fewer = crowds.length < this.crowds.length;
      this.crowds = crowds;
      this.choose(fewer ? null : Number(crowd));
      if (fewer) this.layers.hand.focus();
      this.replay();
    }
    event.preventDefault();
  }

  grab(event) {
    const handle = event.target.closest('[data-crowd]');
    const crowd = handle && this.crowds[handle.dataset.crowd];
    const tAt = ({ clientX }) => this.tOf(clientX - this.plot.getBoundingClientRect().left);
    const offset = crowd ? crowd.t - tAt(event) : 0;
    this.plot.onpointermove = moved => {
      const t = within(Math.round((tAt(moved) + offset) / 10) * 10, 0, SPAN_MS);
      if (!crowd) this.moveHand(t);
      else if (crowd.t !== t) {
        crowd.t = t;
        this.replay();
      }
    };
    this.plot.onpointerup = this.plot.onpointercancel = () => {
      this.plot.onpointermove = null;
      if (crowd) this.choose(this.crowds.indexOf(crowd)); // its numbers, when it lies still
    };
    this.plot.setPointerCapture(event.pointerId);
    if (crowd) this.layers.handles.querySelector(`[data-crowd="${handle.dataset.crowd}"]`).focus({ preventScroll: true });
    else this.plot.onpointermove(event);
    event.preventDefault();
  }

  choose(k) {
    this.chosen = k;
    const crowd = k === null ? null : this.crowds[k];
    this.bar.querySelector('.hint').hidden = Boolean(crowd);
    this.bar.querySelector('.chosen-crowd').hidden = !crowd;
    if (crowd) {
      this.bar.elements.n.value = crowd.n;
      this.bar.elements.t.value = crowd.t;
      this.bar.querySelector('[data-act=split]').disabled = crowd.n < 2;
    }
    for (const handle of this.layers.handles.children) handle.classList.toggle('chosen', Number(handle.dataset.crowd) === k);
  }

  #amend(input) {
    const crowd = this.crowds[this.chosen];
    crowd[input.name] = within(Math.round(Number(input.value)) || Number(input.min), Number(input.min), Number(input.max));
    this.choose(this.chosen);
    this.replay();
  }

  moveHand(t) {
    this.stop();
    this.cursor = t;
    this.show();
  }

  // ── The address ──

  read() {
    const saved = this.address?.read() ?? null;
    for (const { name, min, max } of this.day.sliders) {
      const value = Number(saved?.get(name));
      if (value) this.settings[name] = within(value, min, max);
    }
    for (const { name, options } of this.day.choices ?? []) {
      if (options.some(([value]) => value === saved?.get(name))) this.settings[name] = saved.get(name);
    }
    this.crowds = readSchedule(saved ? (saved.get('presses') ?? '') : this.day.opening);
    this.pressed = pressesOf(this.crowds); // shown as not yet answered, until Redis is here
    this.shell.set(this.settings);
  }

  #saved() {
    return { presses: writeSchedule(this.crowds), ...this.settings };
  }

  // ── Asking Redis ──

  async #ask({ from, opening }) {
    const { shell, day } = this;
    const asking = script => verdicts(this.server, this, script);
    const told = await asking({ ...day, source: shell.editor.text });
    if (told.fault) return this.blame(told.fault);
    shell.editor.show(null);
    this.firstMs ??= performance.now(); // after navigation
    const rival = shell.editor.isEdited ? { ...day, words: 'the lesson’s script', source: shell.editor.lesson } : this.yesterday;
    const other = rival && (await asking(rival));
    Object.assign(this, told, { rival: other && !other.fault ? { ...other, words: rival.words } : null });
    if (!opening) this.address?.write(this.#saved());
    this.stop();
    this.draw();
    if (from === undefined) this.settle();
    else this.play(from);
  }

  // ── Showing it in time ──

  play(from) {
    if (calm()) {
      this.cursor = from ? Math.min(from + 100, SPAN_MS) : SPAN_MS;
      return this.settle();
    }
    let first = 0;
    let lands = 0;
    for (const [k, press] of this.pressed.entries()) {
      if (press.t !== this.pressed[first].t) first = k;
      lands = press.lands = Math.max(lands, press.t + Math.min(POUR_MS, (k - first) * 2));
    }
    const beganMs = performance.now() - from;
    const tick = nowMs => {
      this.cursor = within(nowMs - beganMs, from, SPAN_MS);
      if (this.cursor === SPAN_MS) {
        this.stop();
        this.settle();
      } else {
        this.#frame = requestAnimationFrame(tick);
        this.show();
      }
    };
    this.plot.classList.add('playing');
    return tick(performance.now());
  }

  get isPlaying() {
    return this.#frame !== null;
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.#frame = null;
    this.plot.classList.remove('playing');
  }

  settle() {
    this.show();
    this.shell.say();
  }

  /** What stands still while time goes by. */
  draw() {
    const { layers, pressed, crowds } = this;
    const width = this.plot.clientWidth;
    const room = width - MARGIN.left - MARGIN.right;
    if (room <= 0) return;
    const xOf = (this.xOf = t => MARGIN.left + (t / SPAN_MS) * room);
    this.tOf = x => ((x - MARGIN.left) / room) * SPAN_MS;
    const sand = heap(pressed, xOf, axis.FLOOR - axis.ROOF - 62);
    layers.marks.style.setProperty('--stroke', within(sand.pitch * 0.26, 1, 2));
    layers.marks.innerHTML = sand.grains.map((grain, k) => axis.mark(grain, pressed[k], sand.pitch)).join('');
    layers.grid.innerHTML = axis.grid(xOf, SPAN_MS);
    layers.bands.innerHTML = !this.times.length && !pressed.some(press => press.reply) ? '' : this.#scene(xOf);
    layers.counts.innerHTML = axis.counts(crowds, pressed, sand, width);
    drawHandles(layers.handles, crowds, pressed, xOf, width, this.chosen);
    this.show();
  }

  #scene(xOf) {
    const { day, settings, pressed, windowMs } = this;
    if (day.level) return axis.level(day.level(settings, pressed), settings.capacity, xOf);
    if (day.slides) return '';
    const windows = lives(pressed, windowMs, { aligned: settings.starts === 'clock', untilMs: SPAN_MS });
    return axis.bands(windows, settings.limit, xOf, SPAN_MS);
  }

  /** What depends on the moment. */
  show() {
    if (!this.xOf) return;
    const { layers, xOf, cursor, day, settings, limit, windowMs, name, pressed } = this;
    const untilMs = this.isPlaying ? cursor : SPAN_MS;
    const landed = this.isPlaying ? pressed.findLastIndex(press => press.lands <= untilMs) + 1 : pressed.length;
    if (this.isPlaying) for (const [k, node] of [...layers.marks.children].entries()) node.classList.toggle('landed', k < landed);
    const times = this.isPlaying ? pressed.slice(0, landed).filter(press => press.allowed).map(press => press.t) : this.times;
    const now = this.isPlaying ? worst(times, windowMs) : this.worst;
    const rival = !this.isPlaying && this.rival && this.rival.worst.count !== now.count ? this.rival : null;
    const roof = Math.max(limit * day.roof, this.worst.count * 1.15, (this.rival?.worst.count ?? 0) * 1.15);
    const lines = day.lines(settings);
    const slid = day.slides && cursor < SPAN_MS;
    const left = xOf(Math.max(0, cursor - windowMs));
    layers.busy.innerHTML =
      (slid ? `<rect class="band" x="${left}" y="${axis.ROOF}" width="${xOf(cursor) - left}" height="${axis.FLOOR - axis.ROOF}" rx="4"/>` : '') +
      axis.bracket(now, name.replace('one ', ''), xOf, SPAN_MS);
    layers.graph.innerHTML = axis.graph({ steps: this.isPlaying ? curve(times, windowMs) : curve(this.times, windowMs), worst: now, lines, rival, untilMs, spanMs: SPAN_MS, name, xOf, roof });
    this.#showHand(cursor);
    this.#showWords(landed, times.length, now);
    this.#showScore(now);
    this.#showFacts();
  }

  #showHand(t) {
    const [stem, knob] = this.layers.hand.children;
    const x = this.xOf(t);
    stem.setAttribute('d', t < SPAN_MS ? `M${x} ${axis.ROOF}V${axis.GROUND}` : '');
    knob.setAttribute('d', `M${x - 7} ${axis.ROOF - 10}h14l-7 11z`);
    this.layers.hand.setAttribute('aria-valuenow', Math.round(t));
    this.layers.hand.setAttribute('aria-valuetext', seconds(Math.round(t)));
  }

  #showWords(landed, inside, now) {
    const { shell, day, limit, name } = this;
    if (this.pressed.some(press => press.allowed === undefined)) return; // Redis has not answered yet
    if (!landed) return shell.headline('Press once, send a crowd, or break it.', 'The next press comes where the blue marker stands.');
    const state = { ...this, worst: now, limit, inside, source: shell.editor.text, isEdited: shell.editor.isEdited, bound: day.bound?.(this.settings) };
    const usual = now.count > limit ? `<b class="over">${now.count}</b> let in within ${name}. The limit is <b>${limit}</b>.` : `The limit holds: at most <b>${now.count}</b> let in within ${name}.`;
    const remark = this.isPlaying ? '' : (day.remark?.(state) ?? '');
    return shell.headline(day.headline?.(state) || usual, `${presses(landed)}: ${inside} let in, ${landed - inside} refused. ${remark}`);
  }

  #showScore({ count }) {
    const { day, limit, shell } = this;
    if (!day.bound) return;
    const bound = day.bound(this.settings);
    const beaten = count > bound; // an edited script may let in more than the proof allows
    const score = shell.part('.score');
    score.hidden = false;
    score.classList.toggle('full', count >= bound);
    score.firstElementChild.innerHTML = `Beat the limiter: <b>${count}</b> of ${bound}${count === bound ? ', and nobody can do better' : beaten ? ': past the proof, so this is another limiter' : ''}`;
    const [bar, tick] = score.querySelector('.meter').children;
    bar.style.width = `${Math.min(100, (count / Math.max(1, bound)) * 100)}%`;
    tick.style.left = `${(limit / Math.max(1, bound)) * 100}%`;
  }

  #showFacts() {
    const press = this.pressed.findLast(({ t, reply }) => reply !== undefined && t <= this.cursor) ?? this.pressed[0];
    if (!press || press.reply === undefined) return;
    const last = this.pressed.findLast(({ t }) => t === press.t);
    this.shell.facts({
      command: press.command,
      reply: literal(press.reply),
      holds: last.holds,
      life: { '-1': 'without an end', '-2': 'no key' }[last.lifeMs] ?? `${last.lifeMs} ms`,
      took: `${this.pressed.length} in ${this.tookMs.toFixed(0)} ms`,
    });
  }
}
