// <rush-stage day="2">: the day's script as an instrument, on the page's own Redis. In JupyterLab the
// same module is an anywidget on the kernel's live server.
//
// On a page, <meta name="rush-engine" content="…"> says where the engine's folder is. Without it the
// element keeps what stands inside it: a picture of a recorded run.

import { Board } from './board.mjs';
import { day1 } from './days/day1.mjs';
import { day2 } from './days/day2.mjs';
import { day3 } from './days/day3.mjs';
import { day4 } from './days/day4.mjs';
import { day5 } from './days/day5.mjs';
import { day6 } from './days/day6.mjs';
import { day7 } from './days/day7.mjs';
import { Limiter } from './limiter.mjs';
import { Orders } from './orders.mjs';
import { KernelServer, PageServer } from './server.mjs';

const DAYS = {
  1: [Limiter, day1],
  2: [Limiter, day2],
  3: [Limiter, day3],
  4: [Limiter, day4],
  5: [Orders, day5],
  6: [Orders, day6],
  7: [Board, day7],
};

/** The schedule in the page's address: #day=2&presses=… */
class Address {
  constructor(day) {
    this.day = day;
  }

  read() {
    const saved = new URLSearchParams(location.hash.slice(1));
    return saved.get('day') === this.day ? saved : null;
  }

  get has() {
    return this.read() !== null;
  }

  write(state) {
    history.replaceState(history.state, '', `#${decodeURIComponent(new URLSearchParams({ day: this.day, ...state }))}`);
  }

  onChange(call) {
    addEventListener('hashchange', () => this.has && call());
  }
}

let pageServer = null; // one Redis for all the stages of a page

function build(shadow, css, day, server, address) {
  const style = document.createElement('style');
  style.textContent = css;
  const root = document.createElement('div');
  root.className = 'stage';
  shadow.replaceChildren(style, root);
  const [Instrument, config] = DAYS[day];
  return new Instrument(root, config, server, address);
}

const here = name => new URL(name, import.meta.url);
const toldBy = name => document.querySelector(`meta[name="${name}"]`)?.content;
const inAddress = name => toldBy(name) && new URL(toldBy(name), document.baseURI).href;

class RushStage extends (globalThis.HTMLElement ?? Object) {
  instrument = null;

  async connectedCallback() {
    const day = this.getAttribute('day');
    const engine = inAddress('rush-engine');
    if (!engine || !DAYS[day] || this.shadowRoot) return;
    pageServer ??= new PageServer(engine.replace(/\/?$/, '/'), inAddress('rush-lua') ?? here('../../lua/').href);
    this.attachShadow({ mode: 'open' }).append(document.createElement('slot')); // the recorded picture, until the styles are here
    const drawn = this.#draw(day);
    const start = () => {
      watcher.disconnect();
      this.started ??= Promise.all([pageServer.start().catch(() => {}), drawn]).then(() => this.instrument?.start());
    };
    const watcher = new IntersectionObserver(([entry]) => entry.isIntersecting && start());
    watcher.observe(this);
    this.shadowRoot.addEventListener('click', start, { once: true, capture: true });
  }

  async #draw(day) {
    const answer = await fetch(here('stage.css'));
    if (answer.ok) this.instrument = build(this.shadowRoot, await answer.text(), day, pageServer, new Address(day));
  }
}

if (globalThis.customElements && !customElements.get('rush-stage')) customElements.define('rush-stage', RushStage);

/** JupyterLab: `model` is the widget of lab/stage.py, `el` the cell's output. */
function render({ model, el }) {
  const shadow = el.attachShadow({ mode: 'open' });
  if (document.body.dataset.jpThemeLight === 'false') el.setAttribute('data-dark', '');
  build(shadow, model.get('css'), String(model.get('day')), new KernelServer(model), null).start();
}

export default { render };
