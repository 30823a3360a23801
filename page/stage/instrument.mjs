// What every instrument has: a day, a server, settings, and the frame around it. It waits for Redis, begins,
// and finds its way back to the lesson. What is drawn and played in the frame is its own.

import { Shell } from './shell.mjs';

/** `work` with one wish at a time; of the wishes that come meanwhile only the latest counts. */
export function latest(work) {
  let wish = null;
  let working = null;
  const all = async () => {
    while (wish) {
      const next = wish;
      wish = null;
      await work(next);
    }
  };
  return (wanted = {}) => {
    wish = wanted;
    return (working ??= all().finally(() => (working = null)));
  };
}

export class Instrument {
  #beside;

  /** `frame` is what Shell draws; `on` says on what Redis works; `beside` names the scripts that
   *  begin() gets, next to the one in the editor. */
  constructor(root, day, server, { on = ', on the script that you see', beside = [], ...frame }) {
    Object.assign(this, { day, server, settings: { ...day.settings } });
    this.#beside = beside;
    this.shell = new Shell(root, this, frame);
    this.shell.set(this.settings);
    this.shell.headline('Waking the real Redis …', `It runs ${server.place}${on}.`);
  }

  /** Wakes the server, fetches the scripts meanwhile, and begins; or says why it cannot. */
  async start() {
    const { day, server, shell } = this;
    try {
      const names = [day.script, ...this.#beside];
      const [{ words }, lesson, ...others] = await Promise.all([server.start(), ...names.map(name => name && server.lua(name))]);
      shell.facts({ server: words });
      if (shell.editor) {
        shell.editor.lesson = lesson;
        shell.editor.reveal(day.heart);
      }
      await this.begin(...others);
    } catch (error) {
      shell.headline('The real Redis could not be started here.', error.message);
      shell.say();
    }
  }

  /** Changes some of the settings, on the sliders too. */
  take(settings) {
    Object.assign(this.settings, settings);
    this.shell.set(this.settings);
  }

  /** A slider or a radio button was moved. */
  turn(name, value) {
    this.take({ [name]: value });
  }

  /** The lesson's settings and the lesson's script. */
  restore() {
    this.take(this.day.settings);
    this.shell.editor.text = this.shell.editor.lesson;
  }

  /** Tells what Redis said about the script. */
  blame(message) {
    const { editor } = this.shell;
    editor.show(message);
    this.shell.say(`The script did not work. ${editor.parts.fault.textContent || message}`);
  }

  /** Tells of an error if it is the script's; any other goes on. */
  caught(error) {
    if (!error.isFault) throw error;
    this.blame(error.message);
  }

  /** The part of the picture that draw() fills, again whenever its size changes. */
  canvas(selector) {
    const node = this.shell.part(selector);
    new ResizeObserver(() => this.draw()).observe(node);
    return node;
  }
}
