// The handles below the axis, one for each crowd: dragged, or moved with the keyboard.

import { PILLS, FLOOR } from './axis.mjs';
import { MOST, SPAN_MS, split } from './schedule.mjs';
import { presses, seconds } from './shell.mjs';

const NS = 'http://www.w3.org/2000/svg';
const STEPS = { ArrowLeft: -10, ArrowDown: -10, ArrowRight: 10, ArrowUp: 10, PageDown: -250, PageUp: 250, Home: -SPAN_MS, End: SPAN_MS };
export const within = (value, low, high) => Math.max(low, Math.min(high, value));

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}

/** Draws a handle for each crowd into `layer`; the elements stay, and so does the focus. */
export function drawHandles(layer, crowds, pressed, xOf, width, chosen) {
  while (layer.childElementCount > crowds.length) layer.lastElementChild.remove();
  while (layer.childElementCount < crowds.length) {
    const handle = document.createElementNS(NS, 'g');
    set(handle, { role: 'slider', tabindex: 0, 'aria-valuemin': 0, 'aria-valuemax': SPAN_MS, 'data-crowd': layer.childElementCount });
    handle.innerHTML = '<path/><rect class="reach" height="44"/><rect class="pill" height="22" rx="11"/><text text-anchor="middle"/>';
    layer.append(handle);
  }
  const ends = [-99, -99];
  for (const [k, { n, t, every }] of [...crowds.entries()].sort((a, b) => a[1].t - b[1].t)) {
    const words = every ? `${n}, one every ${seconds(every)}` : String(n);
    const room = Math.max(28, words.length * 6.9 + 16);
    const x = xOf(t);
    const from = within(every ? x - 14 : x - room / 2, 0, width - room);
    const row = from > ends[0] + 3 ? 0 : 1;
    const y = PILLS + row * 25;
    ends[row] = from + room;
    const [stem, reach, pill, label] = layer.children[k].children;
    set(stem, { d: `M${x} ${FLOOR}V${y}` });
    set(reach, { x: from - 6, y: y - 11, width: room + 12 });
    set(pill, { x: from, y, width: room });
    set(label, { x: from + room / 2, y: y + 15.5 });
    label.textContent = words;
    const own = pressed.filter(press => press.crowd === k);
    const inside = own.filter(press => press.allowed).length;
    set(layer.children[k], {
      class: k === chosen ? 'chosen' : '',
      'aria-valuenow': t,
      'aria-valuetext': `at ${seconds(t)}: ${inside} let in, ${own.length - inside} refused`,
      'aria-label': presses(n) + (every ? `, one every ${seconds(every)}` : n > 1 ? ' at once' : ''),
    });
  }
}

/** What a key does to crowd k: the new crowds, or null for a key that is not ours. */
export function afterKey(crowds, k, { key, shiftKey }) {
  const crowd = crowds[k];
  const others = change => crowds.flatMap((each, i) => (i === k ? change : [each]));
  if (key in STEPS) return others([{ ...crowd, t: within(crowd.t + STEPS[key] * (shiftKey ? 10 : 1), 0, SPAN_MS) }]);
  if (key === '+' || key === '-') return others([{ ...crowd, n: within(crowd.n + Number(`${key}1`), 1, MOST) }]);
  if (key === 's' && crowd.n > 1) return others(split(crowd));
  if (key === 'Delete' || key === 'Backspace') return others([]);
  return null;
}

/** The moment after a key, for the marker of the next press. */
export const momentAfterKey = (t, { key, shiftKey }) => (key in STEPS ? within(t + STEPS[key] * (shiftKey ? 10 : 1), 0, SPAN_MS) : null);
