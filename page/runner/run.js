// Run buttons for the cells of a lesson. Nothing is loaded before the reader asks; then one worker
// gets Python and Redis, and the cells run there.

import { edit, read } from './editor.mjs';
import { bring } from './explore.mjs';
import { Output } from './outputs.mjs';
import { Session } from './session.mjs';

const HOVER_MS = 150; // who rests on a Run button that long is about to press it
const SAY_FROM_MS = 50; // a jump of the clock below this is not worth a word

const session = new Session();

function button(words, label, press) {
  const made = Object.assign(document.createElement('button'), { type: 'button', textContent: words });
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', press);
  return made;
}

const seconds = ms => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`);

/** One code cell of the page. */
class Cell {
  state = 'never'; // never, queued, running, ran, failed

  constructor(root, ordinal) {
    this.root = root;
    this.number = Number(root.dataset.cell);
    this.ordinal = ordinal;
    this.tags = new Set(root.dataset.tags?.split(' '));
    this.code = root.querySelector('[data-source] code');
    this.output = new Output(root.querySelector('.cell-out'), this.number, element => bring(session, element));
    this.status = Object.assign(document.createElement('span'), { className: 'run-said' });
    this.status.setAttribute('role', 'status');
    this.go = button('Run', `Run cell ${ordinal}`, () => run(this));
    this.go.className = 'run-go';
    this.above = button('Run all above', `Run all cells above cell ${ordinal}`, () => runAbove(this));
    this.end = button('Stop', `Stop cell ${ordinal}`, stop);
    this.end.hidden = true;
    const bar = root.querySelector('.cell-bar');
    bar.append(this.go, this.status, this.end);
    const folded = root.querySelector('.cell-in[hidden]');
    if (folded) {
      const show = button('Edit', `Edit cell ${ordinal}`, () => {
        folded.hidden = false;
        show.remove();
        this.code.focus();
      });
      bar.append(show);
    }
    if (ordinal > 1) bar.append(this.above);
    edit(this.code, `Code of cell ${ordinal}. Shift and Enter runs it, Escape leaves it.`, () => run(this), () => this.go.focus());
    let resting;
    this.go.addEventListener('pointerenter', () => {
      if (!navigator.connection?.saveData) resting = setTimeout(() => session.start(), HOVER_MS);
    });
    this.go.addEventListener('pointerleave', () => clearTimeout(resting));
  }

  /** Whether `other` may need this cell: an exercise or a box is for those inside it only. */
  serves(other) {
    for (let room = this.root; (room = room.parentElement.closest('section.exercise, details.box')); ) {
      if (!room.contains(other.root)) return false;
    }
    return true;
  }

  turn(state, words) {
    this.state = state;
    this.root.dataset.run = state;
    this.status.textContent = words;
    this.end.hidden = state !== 'running';
  }

  async run() {
    this.turn('queued', session.state === 'idle' ? '' : 'waits for its turn');
    const done = await session.run(this.number, read(this.code).replace(/\n$/, ''), `cell ${this.ordinal}`);
    if (!done) return false; // stopped: stop() has said so
    const moved = done.movedMs >= SAY_FROM_MS ? ` · the clock went on by ${seconds(done.movedMs)} at once` : '';
    this.turn(done.ok ? 'ran' : 'failed', `${done.ok ? `ran here in ${seconds(done.ms)}` : 'stopped at an error'}${moved}`);
    return done.ok || this.tags.has('raises-exception');
  }

  hear({ is, data }) {
    if (is === 'began') {
      this.output.clear();
      this.turn('running', 'runs');
    } else if (is === 'clear') this.output.clear();
    else if (is === 'stream' || is === 'display' || is === 'error') this.output[is](data);
  }

  forget() {
    if (this.output.live) this.output.restore();
    this.turn('never', '');
  }
}

const cells = [...document.querySelectorAll('.cell.code[data-cell]')]
  .filter(root => root.querySelector('.cell-bar') && !root.classList.contains('native'))
  .map((root, i) => new Cell(root, i + 1));
const numbered = new Map(cells.map(cell => [cell.number, cell]));

/** Runs cells one after another; an unexpected error ends the row, as in a notebook. */
async function inOrder(row) {
  for (const cell of row) if (!(await cell.run())) return false;
  return true;
}

const before = cell => cells.slice(0, cells.indexOf(cell)).filter(other => other.serves(cell));

/** A cell stands on those above it: the ones that have not run yet go first. */
function run(cell) {
  const needed = before(cell).filter(other => other.state === 'never');
  if (needed.length) cell.turn(cell.state, needed.length === 1 ? 'the cell above goes first' : `${needed.length} cells above go first`);
  return inOrder([...needed, cell]);
}

const runAbove = cell => inOrder(before(cell));

function stop() {
  const caught = cells.filter(cell => cell.state === 'queued' || cell.state === 'running');
  session.stop('none', { stopped: true });
  for (const cell of cells) cell.state = 'never';
  for (const cell of caught) cell.turn('never', 'stopped');
}

function restart() {
  session.stop();
  for (const cell of cells) cell.forget();
  session.start();
}

session.addEventListener('output', ({ message }) => numbered.get(message.cell)?.hear(message));

// ── The line at the foot of the window: what is loading, what runs, how to stop it ──
const dock = document.createElement('aside');
dock.className = 'run-dock';
dock.setAttribute('aria-label', 'Python and Redis in this page');
dock.hidden = true;
const bar = Object.assign(document.createElement('progress'), { max: 1 });
bar.setAttribute('aria-label', 'Loading');
const words = document.createElement('span');
words.setAttribute('role', 'status');
const again = button('Restart', 'Restart Python and Redis', restart);
const end = button('Stop', 'Stop Python and Redis', stop);
dock.append(bar, words, again, end);

const SAYS = {
  none: told => (told.stopped ? 'Stopped: all that Python and Redis knew is gone. The next cell you run starts afresh.' : ''),
  loading: told => (told.part < 1 ? `Loading ${told.what}` : `${told.what}`),
  idle: told => `Python ${told.python} and Redis ${told.redis} are in this tab`,
  running: told => (told.redis ? `Python ${told.python} and Redis ${told.redis} are at work in this tab` : 'Python and Redis are at work'),
  failed: told => `This did not load: ${told.message} Run a cell to try again.`,
};

session.addEventListener('change', () => {
  const said = SAYS[session.state](session.told);
  dock.hidden = !said;
  dock.dataset.state = session.state;
  if (words.textContent !== said) words.textContent = said;
  bar.hidden = session.state !== 'loading';
  if (session.told.part !== undefined) bar.value = session.told.part;
  again.hidden = session.state !== 'idle' && session.state !== 'running';
  end.hidden = session.state !== 'running' && session.state !== 'loading';
  if (session.state === 'failed') for (const cell of cells) if (cell.state === 'queued') cell.turn('never', '');
});

if (cells.length) document.body.append(dock);
