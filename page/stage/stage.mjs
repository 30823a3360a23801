// <rush-stage day="2">: the day's script as an instrument, on the page's own Redis.
//
// On a page, <meta name="rush-engine" content="…"> says where the engine's folder is. Without it the
// element keeps what stands inside it: a picture of a recorded run. With it the instrument is drawn at
// once, and the engine is asked for when the element comes into view. The drawing and the engine load
// side by side, so this module imports as little as it can.

import { PageServer } from './server.mjs';

/** Where each day's instrument is; a page loads only its own. A notebook has all of them, see instruments.mjs. */
const HOMES = {
  0: ['prompt', 'Prompt'],
  1: ['limiter', 'Limiter'],
  2: ['limiter', 'Limiter'],
  3: ['limiter', 'Limiter'],
  4: ['limiter', 'Limiter'],
  5: ['orders', 'Orders'],
  6: ['orders', 'Orders'],
  7: ['board', 'Board'],
  8: ['shop', 'Shop'],
  9: ['failover', 'Failover'],
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

const here = name => new URL(name, import.meta.url);

class RushStage extends HTMLElement {
  instrument = null;

  connectedCallback() {
    const day = this.getAttribute('day');
    const server = HOMES[day] ? PageServer.ofPage() : null;
    if (!server || this.shadowRoot) return;
    this.attachShadow({ mode: 'open' }).append(document.createElement('slot')); // the recorded picture, until the styles are here
    const drawn = this.#draw(day, server);
    const start = () => {
      watcher.disconnect();
      server.start().catch(() => {}); // the instrument asks again, and says what went wrong
      this.started ??= drawn.then(() => this.instrument?.start());
    };
    const watcher = new IntersectionObserver(([entry]) => entry.isIntersecting && start());
    watcher.observe(this);
    this.shadowRoot.addEventListener('click', start, { once: true, capture: true });
  }

  async #draw(day, server) {
    const [file, name] = HOMES[day];
    const [answer, { mount }, instruments, days] = await Promise.all([fetch(here('stage.css')), import('./shell.mjs'), import(`./${file}.mjs`), import(`./days/day${day}.mjs`)]);
    if (answer.ok) this.instrument = new instruments[name](mount(this.shadowRoot, await answer.text()), days[`day${day}`], server, new Address(day));
  }
}

customElements.define('rush-stage', RushStage);
