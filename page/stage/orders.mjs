// The instrument of days 5 and 6: everything that can happen, in every order, one after another on the
// real server; a slider goes through them, the bad ones are red and crossed.

import { Instrument, latest } from './instrument.mjs';
import { escape, literal } from './lua.mjs';

const FACTS = { heard: 'what the server heard, in this order', took: 'all of them', server: 'server' };
const CIRCLE = '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4.6"/></svg>';
const CROSS = '<svg class="sign" viewBox="0 0 12 12" aria-hidden="true"><path d="M2 2l8 8M10 2l-8 8"/></svg>';

/** Every order in which n steps of one and m of another can happen: [[0, 0, 1, 1], [0, 1, 0, 1], …]. */
export function interleavings(n, m) {
  if (n === 0) return [Array(m).fill(1)];
  if (m === 0) return [Array(n).fill(0)];
  return [...interleavings(n - 1, m).map(rest => [0, ...rest]), ...interleavings(n, m - 1).map(rest => [1, ...rest])];
}

/** One story on a server: send(...words) gives the reply and remembers what was said. */
export class Story {
  heard = [];
  tookMs = 0;

  constructor(server, source) {
    Object.assign(this, { server, source });
  }

  key(name) {
    return this.server.key(name);
  }

  async clear(...names) {
    await this.#play({ fresh: true, scripts: { main: this.source }, clear: names.map(name => this.key(name)) });
  }

  async send(...words) {
    const { replies, shas } = await this.#play({ fresh: false, scripts: words.some(word => word.script) ? { main: this.source } : {}, steps: [{ words }] });
    const told = words.map(word => (word.script ? `${shas.main.slice(0, 8)}…` : word)).join(' ');
    this.heard.push(`${told} → ${literal(replies[0])}`);
    return replies[0];
  }

  script(keys, ...args) {
    return this.send('EVALSHA', { script: 'main' }, keys.length, ...keys.map(name => this.key(name)), ...args);
  }

  async #play(job) {
    const answer = await this.server.play(job);
    this.tookMs += answer.tookMs;
    if (answer.fault) throw Object.assign(new Error(answer.fault.message), { isFault: true });
    return answer;
  }
}

export class Orders extends Instrument {
  results = [];
  at = 0;
  /** Plays every order. */
  replay = latest(() => this.#ask());

  constructor(root, day, server) {
    super(root, day, server, {
      picture: `<div class="orders"><ol class="tiles" style="--rows: ${day.rows}"></ol>
        <label class="slider through">${day.slider} <b></b><input type="range" min="1" value="1" step="1"></label></div>
        <svg class="plot scene" height="${day.height}" role="img" aria-label="The order of events, once Redis is awake"></svg>`,
      buttons: [['attack', 'Break it', 'strong'], ['mend', 'Mend it']],
      facts: FACTS,
    });
    this.tiles = this.shell.part('.tiles');
    this.through = this.shell.part('.through input');
    this.scene = this.canvas('.scene');
    this.through.addEventListener('input', () => this.go(Number(this.through.value) - 1));
    this.tiles.addEventListener('click', ({ target }) => {
      const tile = target.closest('button');
      if (tile) this.go(Number(tile.value));
    });
  }

  begin() {
    return this.replay();
  }

  again() {
    return this.turn('version', this.day.scripted ?? this.settings.version);
  }

  turn(name, value) {
    super.turn(name, value);
    return this.replay();
  }

  attack() {
    return this.turn('version', this.day.broken);
  }

  mend() {
    this.shell.editor.text = this.shell.editor.lesson;
    return this.turn('version', this.day.mended);
  }

  go(at) {
    this.at = at;
    this.draw();
    this.shell.say(this.shell.part('.detail').textContent);
  }

  async #ask() {
    const { day, server, settings, shell } = this;
    const results = [];
    try {
      await server.alone(async () => {
        for (const order of day.orders(settings.version)) {
          const story = new Story(server, shell.editor.text);
          results.push({ order, ...(await day.tell(story, order, settings.version)), heard: story.heard, tookMs: story.tookMs });
        }
      });
    } catch (error) {
      return this.caught(error);
    }
    shell.editor.show(null);
    const bad = results.findIndex(result => result.isBad);
    Object.assign(this, { results, at: bad < 0 ? Math.min(this.at, results.length - 1) : bad });
    this.draw();
    shell.say();
  }

  draw() {
    const { results, at, day, shell, settings } = this;
    if (!results.length) return;
    const here = results[at];
    const bad = results.filter(result => result.isBad).length;
    while (this.tiles.childElementCount > results.length) this.tiles.lastElementChild.remove();
    while (this.tiles.childElementCount < results.length) this.tiles.insertAdjacentHTML('beforeend', '<li><button type="button"></button></li>');
    for (const [k, { isBad, name, told }] of results.entries()) {
      const tile = this.tiles.children[k].firstElementChild;
      tile.value = k;
      tile.className = isBad ? 'bad' : 'well';
      tile.innerHTML = `${isBad ? CROSS : CIRCLE}<span>${escape(name)}</span>`;
      tile.setAttribute('aria-label', `${k + 1} of ${results.length}: ${told}`);
      tile.setAttribute('aria-pressed', k === at);
    }
    this.through.max = results.length;
    this.through.value = at + 1;
    this.through.setAttribute('aria-valuetext', `${at + 1} of ${results.length}: ${here.told}`);
    shell.part('.through b').textContent = `${at + 1} of ${results.length}`;
    this.scene.innerHTML = day.draw(here, this.scene.clientWidth);
    this.scene.setAttribute('aria-label', here.told);
    shell.headline(day.headline(bad, results.length, settings.version, shell.editor.isEdited), here.told);
    shell.facts({ heard: here.heard.join('\n'), took: `${results.length} runs in ${results.reduce((sum, result) => sum + result.tookMs, 0).toFixed(0)} ms` });
  }
}
