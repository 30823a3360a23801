// The instrument of day 9: two machines that do not hear each other, and the table behind both.

import { cross, word } from './boxes.mjs';
import { Instrument, latest } from './instrument.mjs';
import { Grid, range } from './squares.mjs';

const FACTS = { heard: 'the copy, made at the moment of the cut', counted: 'counted at the end', took: 'commands', server: 'server' };
const NOTE =
  'One Redis plays both machines: keys with {2001} are the old primary’s, keys with {2001-copy} the promoted one’s. The keys remaining, rows and letters stand for the SQL table.';
const SIDE = 150; // px for the numbers beside the squares, where there is room

/** A picture of one night: { svg, height, told }. */
export function scene({ stock, cut, known, old, copy, there, here, rows, letters }, guard, width) {
  const beside = width > 520;
  const grid = new Grid(beside ? width - SIDE : width, { widest: 20 });
  const end = beside ? width : Math.min(width, grid.x(25));
  const sum = (y, first, second, kind = '') =>
    beside ? word(end, y + 36, first, `big ${kind}`, 'end') + word(end, y + 56, second, '', 'end') : word(end, y - 10, `${first}, ${second}`, kind, 'end');
  let y = 26;
  const a = y;
  let svg = word(0, y - 10, beside ? 'the old primary, which does not know' : 'old primary', 'strong');
  svg += grid.draw('sold', range(0, old.sold), a) + grid.draw('stock', range(old.sold, stock), a);
  svg += sum(a, `${old.sold} sold`, beside ? `${there} after the cut` : `${old.left} left`);
  y = a + grid.height + 54;
  const b = y;
  svg += word(0, b - 10, beside ? 'the replica, promoted' : 'promoted replica', 'strong');
  svg += grid.draw('heard', range(0, known), b) + grid.draw('sold', range(known, copy.sold), b) + grid.draw('stock', range(copy.sold, stock), b);
  svg += sum(b, `${here} sold`, `${known} heard of`);
  const [above, below] = [grid.edge(cut, a, a - 6, a + grid.height + 4), grid.edge(known, b, b - 6, b + grid.height + 4)];
  svg += `<path class="crash" d="${above.d}"/><path class="crash" d="${below.d}"/><path class="crash" d="M${above.x} ${a + grid.height + 4}L${below.x} ${b - 6}"/>`;
  const under = a + grid.height;
  svg += cross((above.x + below.x) / 2, under + 21, 5);
  if (above.x < end - 112) svg += word(above.x + 12, under + 20, 'the line is cut', 'bad');
  else if (below.x > 112) svg += word(below.x - 12, under + 30, 'the line is cut', 'bad', 'end');
  else svg += word(end, under + 36, 'the line is cut', 'bad', 'end');
  y = b + grid.height + 22;
  svg += `<path class="floor" d="M0 ${y}H${width}"/>`;
  y += 38;
  svg += word(0, y - 10, beside ? 'the database, after both queues' : 'the database', 'strong');
  const fits = Math.min(rows, stock);
  svg += grid.draw('sold', range(0, fits), y) + grid.draw('stock', range(fits, stock), y) + sum(y, `${rows} rows`, `for ${stock} things`, rows > stock ? 'bad' : 'well');
  y += grid.height;
  const extra = guard === 'last' ? letters : Math.max(0, rows - stock);
  if (extra) {
    y += 34;
    const kind = guard === 'last' ? 'letter' : 'over';
    svg += word(0, y - 9, guard === 'last' ? `${letters} refused by themselves: each gets an apology` : `${extra} rows for things that nobody has`, guard === 'last' ? '' : 'bad');
    svg += grid.draw(kind, range(0, extra), y);
    y += grid.height;
  }
  return { svg, height: Math.ceil(b + 2 * grid.height + 98 + grid.height) }; // as high with and without the last rows
}

export class Failover extends Instrument {
  result = null;
  /** Plays the night. */
  replay = latest(() => this.#ask());

  constructor(root, day, server) {
    super(root, day, server, {
      picture: `<svg class="plot scene machines" role="img" aria-label="Two machines, once Redis is awake"></svg><p class="note">${NOTE}</p>`,
      buttons: [['attack', 'Break it', 'strong'], ['mend', 'Add the last line']],
      quiet: [['reset', 'Reset']],
      facts: FACTS,
    });
    this.scene = this.canvas('.scene');
  }

  begin() {
    return this.replay();
  }

  again() {
    return this.replay();
  }

  /** Nobody hears of more than was sold; who has heard of everything goes on hearing of everything. */
  turn(name, value) {
    const { cut, heard } = this.settings;
    if (name === 'cut') this.take({ cut: value, heard: heard === cut ? value : Math.min(heard, value) });
    else this.take({ [name]: name === 'heard' ? Math.min(value, cut) : value });
    return this.replay();
  }

  attack() {
    this.take({ ...this.day.settings, guard: 'unique' });
    return this.replay();
  }

  mend() {
    this.take({ guard: 'last' });
    return this.replay();
  }

  reset() {
    this.restore();
    return this.replay();
  }

  async #ask() {
    const { day, server, shell } = this;
    const settings = { ...this.settings };
    const play = async job => {
      const answer = await server.play(job);
      if (answer.fault) throw Object.assign(new Error(answer.fault.message), { isFault: true });
      return answer;
    };
    try {
      this.result = await server.alone(() => day.tell(play, name => server.key(name), shell.editor.text, settings));
    } catch (error) {
      return this.caught(error);
    }
    shell.editor.show(null);
    this.guard = settings.guard;
    this.draw();
    shell.say();
  }

  draw() {
    const { result, guard, shell } = this;
    const width = this.scene.clientWidth;
    if (!result || !width) return;
    const { svg, height } = scene(result, guard, width);
    this.scene.setAttribute('height', height);
    this.scene.innerHTML = svg;
    const [head, detail] = this.#words(result);
    shell.headline(head, detail);
    this.scene.setAttribute('aria-label', `${shell.part('.headline').textContent} ${detail}`);
    shell.facts({ heard: result.copies.join('\n'), counted: result.counted.join('\n'), took: `${result.commands} in ${result.tookMs.toFixed(0)} ms` });
  }

  #words({ stock, cut, known, there, here, rows, letters }) {
    const total = cut + there + here;
    const sum = `${cut} + ${there} + ${here}`;
    const unheard = cut > known ? ` Of the ${cut}, ${cut - known} had not been heard of.` : '';
    if (this.guard === 'last') {
      if (letters) return [`<b class="well">${rows}</b> rows for ${stock} things; <b>${letters}</b> people get an apology.`, `${sum} = ${total} were told that they had won. Nothing is sold twice, and nobody is forgotten.${unheard}`];
      return [`<b class="well">${rows}</b> rows for ${stock} things, and nobody gets an apology.`, `${sum} = ${total} sold.`];
    }
    if (rows > stock) return [`<b class="bad">${total}</b> sold of <b>${stock}</b>: ${sum}.`, `Each script was atomic, where it ran. All ${rows} are different people, so a unique key lets in all of them.${unheard}`];
    return [`<b class="well">${total}</b> sold of <b>${stock}</b>: ${sum}.`, 'Everything was sold, and heard of, before the line was cut.'];
  }
}
