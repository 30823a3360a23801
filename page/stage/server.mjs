// Where a stage's commands go: to the page's own Redis in a worker, or to the kernel's live server.
// Both have the same face: place, start() → { words }, lua(name), key(name), play(job), alone(work).

const PATIENCE_MS = 3000;
export const NO_END = 'The script found no end in 3 s, so Redis was ended and started anew.';

/** One thing after another: a stage that asks step by step is not disturbed by its neighbour. */
class Turns {
  #last = Promise.resolve();

  alone(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

/** The page's own Redis. `engine` is the address of the folder with engine.mjs, `lua` that of the scripts. */
export class PageServer extends Turns {
  place = 'in this page';
  slow = 1; // its clock is held, so a millisecond is a millisecond
  #engine;
  #lua;
  #worker = null;
  #ready = null;
  static #page;

  /** The one of this page, for all that stands on it; null where the page has no engine. */
  static ofPage() {
    const told = name => document.querySelector(`meta[name="${name}"]`)?.content;
    const engine = told('rush-engine');
    if (!engine) return null;
    const lua = told('rush-lua');
    return (PageServer.#page ??= new PageServer(
      new URL(engine.replace(/\/?$/, '/'), document.baseURI).href,
      lua ? new URL(lua, document.baseURI).href : new URL('../../lua/', import.meta.url).href,
    ));
  }

  constructor(engine, lua) {
    super();
    this.#engine = engine;
    this.#lua = lua;
  }

  key(name) {
    return name;
  }

  async lua(name) {
    const answer = await fetch(new URL(`${name}.lua`, this.#lua));
    if (!answer.ok) throw new Error(`lua/${name}.lua could not be loaded: the site answered ${answer.status}.`);
    return answer.text();
  }

  start() {
    this.#ready ??= this.#boot().catch(error => {
      this.#ready = null; // so that the next who asks tries again
      throw error;
    });
    return this.#ready;
  }

  async #boot() {
    const address = new URL('worker.mjs', import.meta.url);
    address.searchParams.set('engine', this.#engine);
    this.#worker = new Worker(address, { type: 'module' });
    const { version, upMs } = await this.#hear();
    return { words: `Redis ${version}, in this page, up in ${Math.round(upMs)} ms` };
  }

  /** The worker's next answer. */
  #hear(patienceMs = Infinity) {
    return new Promise((resolve, reject) => {
      const timer = Number.isFinite(patienceMs) && setTimeout(() => resolve(this.#end()), patienceMs);
      this.#worker.onmessage = ({ data }) => {
        clearTimeout(timer);
        if (data.broken) reject(new Error(data.broken));
        else resolve(data);
      };
      this.#worker.onerror = () => reject(new Error('Redis could not be loaded. Load the page again.'));
    });
  }

  #end() {
    this.#worker.terminate();
    this.#ready = null;
    this.start().catch(() => {}); // whoever plays next is told
    return { replies: [], fault: { step: 0, message: NO_END }, tookMs: PATIENCE_MS };
  }

  async play(job) {
    await this.start();
    this.#worker.postMessage(job);
    return this.#hear(PATIENCE_MS);
  }
}

/** The kernel's live server, over the wire of an anywidget; lab/stage.py answers. */
export class KernelServer extends Turns {
  place = 'on this notebook’s own server';
  slow = 100; // its clock runs on, so the stage lets it run a hundred times slower than the axis
  #model;
  #waiting = new Map();
  #count = 0;

  constructor(model) {
    super();
    this.#model = model;
    model.on('msg:custom', ({ id, ...answer }) => {
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  key(name) {
    return `stage:${name}`; // the lesson's own keys stay as they are
  }

  async lua(name) {
    return this.#model.get('scripts')[name];
  }

  async start() {
    return { words: this.#model.get('server') };
  }

  play(job) {
    return new Promise(resolve => {
      this.#waiting.set(++this.#count, resolve);
      this.#model.send({ id: this.#count, job });
    });
  }
}
