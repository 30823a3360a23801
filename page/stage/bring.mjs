// <rush-bring>: paste a limiter or a seckill script, say what its KEYS and ARGV are, and every case is
// played on the page's own Redis. Nothing leaves the tab.

import { Editor } from './editor.mjs';
import { escape } from './lua.mjs';
import { OURS, SAMPLES } from './samples.mjs';
import { PageServer } from './server.mjs';
import { KINDS, READINGS, check, readHeader } from './suite.mjs';

const SIGN = { true: '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4.6"/></svg>', false: '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><path d="M2 2l8 8M10 2l-8 8"/></svg>' };
const NAMES = {
  seckill: '$user $sku',
  bucket: '$capacity $refill_count $refill_period_ms $rate (a second) $interval_ms (for one token) $now_ms $now_s $cost $press_id',
  other: '$limit $window_ms $window_s $now_ms $now_s $cost $press_id',
};
const options = pairs => pairs.map(([value, words]) => `<option value="${escape(value)}">${escape(words)}</option>`).join('');
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

const FRAME = `
  <p class="headline" aria-hidden="true">Paste a script, or take one of these.</p><p class="detail" aria-hidden="true">It is played here, in this tab, on the real Redis.</p>
  <p class="unseen" role="status"></p>
  <div class="board"><div>
    <form class="brought">
      <label>begin with <select name="sample">${options([['', 'a script of your own'], ...Object.keys(SAMPLES).map(name => [name, name]), ...OURS.map(name => [name, `this course: ${name}`])])}</select></label>
      <label>it is a <select name="kind">${options(Object.entries(KINDS))}</select></label>
      <label>KEYS <input name="keys" spellcheck="false" autocapitalize="off" autocomplete="off"></label>
      <label>ARGV <input name="args" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="names"></label>
      <p class="names" id="names"></p>
      <label>let in if <select name="reading">${options(Object.entries(READINGS).map(([name, [words]]) => [name, words]))}</select></label>
    </form>
    <div class="script"></div>
  </div><div><ol class="results" aria-label="What was played"></ol></div></div>`;

/** The presses of the smallest failing timeline as a small table. */
function timeline(presses) {
  const rows = [];
  for (const { t, cost, got, right } of presses) {
    const last = rows.at(-1);
    if (last && last.t === t && last.cost === cost && last.got === got && last.right === right) last.n++;
    else rows.push({ t, cost, got, right, n: 1 });
  }
  const verdict = isIn => (isIn ? 'in' : 'refused');
  return `<table><caption>The smallest timeline on which it goes wrong</caption><tr><th>at</th><th>presses</th><th>it says</th><th>right is</th></tr>${rows
    .map(({ t, cost, got, right, n }) => `<tr class="${got === right ? '' : 'bad'}"><td>${t.toLocaleString('en')} ms</td><td>${n}${cost === 1 ? '' : `, weight ${cost}`}</td><td>${SIGN[got]} ${verdict(got)}</td><td>${verdict(right)}</td></tr>`)
    .join('')}</table>`;
}

function entry({ given, isRight, got = [], right = [], error, note, smallest, firstWrong }) {
  const told = [];
  if (!isRight) {
    told.push(`<p>The usual cause: ${escape(given.wrong[0].toLowerCase() + given.wrong.slice(1))}</p>`);
    if (error) told.push(`<p class="said">${escape(error)}</p>`);
    else if (given.presses) told.push(`<p class="said">Let in: ${got.join(', ')}. Right is ${right.join(', ')}.</p>`);
    else if (got.length) told.push(`<p class="said">Sold ${got[0]}, stock ${got[1] ?? 'without a key'}. Right is ${right[0]}, stock ${right[1] ?? 'without a key'}.${firstWrong ? ` The first sale too many is call ${firstWrong}.` : ''}</p>`);
    if (smallest) told.push(timeline(smallest));
  } else if (note) told.push(`<p class="said">${escape(note)}</p>`);
  return `<li class="${isRight ? 'well' : 'bad'}" data-case="${given.id}">${SIGN[isRight]}<div><p class="claim"><span class="unseen">${isRight ? 'Holds: ' : 'Fault: '}</span>${escape(given.right)}</p>${told.join('')}</div></li>`;
}

class Bring {
  #round = 0;

  constructor(root, server, cases) {
    Object.assign(this, { server, cases });
    root.innerHTML = FRAME;
    this.part = selector => root.querySelector(selector);
    this.form = this.part('.brought');
    this.editor = new Editor(this.part('.script'), {
      name: 'your script',
      label: 'Your Lua script. Control and Enter plays the cases.',
      hint: 'Paste your Lua script here.',
      again: () => this.play(),
      changed: () => this.#guess(),
    });
    this.editor.again.textContent = 'Play the cases';
    this.editor.parts.restore.remove();
    this.editor.parts.edited.remove();
    this.form.addEventListener('submit', event => event.preventDefault());
    this.form.addEventListener('change', ({ target }) => (target.name === 'sample' ? this.take(target.value) : this.#names()));
    this.#set({ kind: 'window', keys: 'limit:{2001}', args: '$limit $window_ms', reading: 'positive' });
  }

  #set(told) {
    for (const name of ['kind', 'keys', 'args', 'reading']) this.form.elements[name].value = told[name];
    this.#names();
  }

  #names() {
    this.part('.names').textContent = `Names that are filled in: ${NAMES[this.form.elements.kind.value] ?? NAMES.other}`;
  }

  /** A script with a header like ours says by itself how it wants to be called. */
  #guess() {
    const told = readHeader(this.editor.text);
    if (told) this.#set(told);
  }

  async take(name) {
    if (!name) return;
    const sample = SAMPLES[name] ?? { lua: await this.server.lua(name) };
    this.editor.text = sample.lua;
    if (sample.kind) this.#set(sample);
    else this.#guess();
    await this.play();
  }

  async play() {
    const round = ++this.#round;
    const list = this.part('.results');
    list.innerHTML = '';
    this.editor.show(null);
    this.#say('Playing …', 'Each case on an empty server.');
    const script = { lua: this.editor.text, ...Object.fromEntries(['kind', 'keys', 'args', 'reading'].map(name => [name, this.form.elements[name].value])) };
    try {
      if (!script.lua.trim()) throw new Error('There is no script yet. Paste one into the box, or begin with one of the list.');
      const { words } = await this.server.start();
      const player = job => this.server.alone(() => this.server.play(job)).then(answer => {
        if (answer.fault && (answer.fault.step < 0 || !answer.shas)) throw Object.assign(new Error(answer.fault.message), { isFault: true });
        return answer;
      });
      const results = await check(player, this.cases, script, result => round === this.#round && list.insertAdjacentHTML('beforeend', entry(result)));
      if (round !== this.#round) return;
      const bad = results.filter(result => !result.isRight).length;
      this.#say(bad ? `<b class="bad">${plural(bad, 'fault')}</b> in ${plural(results.length, 'case')}.` : `<b class="well">No fault</b> in ${plural(results.length, 'case')}.`, `Played as a ${KINDS[script.kind]} on ${words}.`, true);
    } catch (error) {
      if (round !== this.#round) return;
      if (error.isFault) this.editor.show(error.message);
      const words = error.isFault ? this.part('.fault').textContent : error.message;
      this.#say('The cases could not be played.', words, true);
    }
  }

  #say(headline, detail, aloud = false) {
    this.part('.headline').innerHTML = headline;
    this.part('.detail').textContent = detail;
    if (aloud) this.part('[role=status]').textContent = `${this.part('.headline').textContent} ${detail}`;
  }
}

const here = name => new URL(name, import.meta.url);
class RushBring extends HTMLElement {
  async connectedCallback() {
    const server = PageServer.ofPage();
    if (!server || this.shadowRoot) return;
    const [css, cases] = await Promise.all([fetch(here('stage.css')).then(answer => answer.text()), fetch(here('cases.json')).then(answer => answer.json())]);
    const shadow = this.attachShadow({ mode: 'open' });
    const style = Object.assign(document.createElement('style'), { textContent: css });
    const root = Object.assign(document.createElement('div'), { className: 'stage' });
    shadow.append(style, root);
    this.instrument = new Bring(root, server, cases);
  }
}

customElements.define('rush-bring', RushBring);
