// The page's end of the worker: starts it when asked, sends it cells, tells listeners what it says.

const WORKER = new URL('worker.mjs', import.meta.url);

/** One Python and one Redis, or none yet. Events: change (of state), output (of a cell). */
export class Session extends EventTarget {
  /** none, loading, idle, running, or failed */
  state = 'none';
  /** What is loading and how far it is, 0 to 1; after it: versions. */
  told = {};
  #worker = null;
  #cells = new Map(); // cell → what to do with its result
  #asked = new Map(); // number of a question → what to do with the answer
  #count = 0;

  /** Begins to load, unless that has been done. */
  start() {
    if (this.#worker) return;
    this.#worker = new Worker(WORKER, { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = event => this.#hear({ is: 'failed', message: event.message || 'The worker could not be loaded.' });
    this.#turn('loading', { what: 'Python and Redis', part: 0 });
  }

  /** Runs one cell after those already asked for: { ok, ms, movedMs }, or null when it was stopped.
   *  Errors call it by `name`. */
  run(cell, code, name) {
    this.start();
    return new Promise(resolve => {
      this.#cells.set(cell, resolve);
      this.#worker.postMessage({ do: 'run', cell, code, name });
    });
  }

  /** The picture of an exploration for other values of its sliders, as HTML. */
  explore(id, values) {
    if (!this.#worker) return Promise.resolve(null);
    return new Promise(resolve => {
      this.#asked.set(++this.#count, resolve);
      this.#worker.postMessage({ do: 'explore', ask: this.#count, id, values });
    });
  }

  /** Ends the worker at once, whatever it does; all that Python and Redis knew is gone. */
  stop(state = 'none', told = {}) {
    this.#worker?.terminate();
    this.#worker = null;
    const waiting = [...this.#cells.values(), ...this.#asked.values()];
    this.#cells.clear();
    this.#asked.clear();
    for (const resolve of waiting) resolve(null);
    this.#turn(state, told);
  }

  #turn(state, told = this.told) {
    this.state = state;
    this.told = told;
    this.dispatchEvent(new Event('change'));
  }

  #hear(message) {
    switch (message.is) {
      case 'loading': return this.#turn('loading', message);
      case 'ready': return this.#turn(this.#cells.size ? 'running' : 'idle', message);
      case 'failed': return this.stop('failed', message);
      case 'began': this.#turn('running'); break;
      case 'done': {
        const resolve = this.#cells.get(message.cell);
        this.#cells.delete(message.cell);
        if (!this.#cells.size) this.#turn('idle');
        resolve?.(message);
        break;
      }
      case 'explored':
      case 'broken':
        this.#asked.get(message.ask)?.(message.html ?? null);
        this.#asked.delete(message.ask);
        return;
    }
    this.dispatchEvent(Object.assign(new Event('output'), { message }));
  }
}
