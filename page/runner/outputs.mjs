// The outputs of a cell that ran here, in the same HTML as the recorded ones.

import { markdown } from './markdown.mjs';

const VERDICTS = [['✔', 'yes'], ['Not yet', 'no'], ['Not started', 'wait']];
const ANSI = /\x1b\[[0-9;]*m/g;

/** The place below one cell. */
export class Output {
  #place;
  #recorded;
  #number;
  #bring;

  /** `bring(element)` is given each exploration, to make its sliders work. */
  constructor(place, number, bring) {
    this.#place = place;
    this.#recorded = [...place.childNodes];
    this.#number = number;
    this.#bring = bring;
  }

  get live() {
    return this.#place.classList.contains('live');
  }

  clear() {
    this.#place.classList.add('live');
    this.#place.replaceChildren();
  }

  /** Shows what the lesson was published with. */
  restore() {
    this.#place.classList.remove('live');
    this.#place.replaceChildren(...this.#recorded);
  }

  stream({ name, text }) {
    const kind = name === 'stderr' ? 'out err' : 'out';
    let pre = this.#place.lastElementChild;
    if (pre?.dataset.stream !== name) {
      pre = Object.assign(document.createElement('pre'), { className: kind });
      pre.dataset.stream = name;
      pre.append('');
      this.#place.append(pre);
    }
    const lines = ((pre.dataset.open ?? '') + text.replace(ANSI, '')).split('\n');
    if (pre.dataset.open) pre.lastChild.remove(); // the line that was not finished is written anew
    pre.dataset.open = lines.at(-1);
    lines.forEach((line, i) => {
      const last = i === lines.length - 1;
      if (!last || line) pre.append(verdict(line + (last ? '' : '\n')));
    });
  }

  /** The richest form that a page can show. */
  display(data) {
    const add = (tag, kind, html) => {
      const box = Object.assign(document.createElement(tag), { className: kind });
      box.innerHTML = html;
      this.#place.append(box);
      return box;
    };
    if (data['image/svg+xml']) add('figure', 'fig', this.#ownIds(data['image/svg+xml']));
    else if (data['text/html']) {
      const box = add('div', 'out-html', this.#ownIds(data['text/html']));
      box.querySelectorAll('[data-rush-explore]').forEach(this.#bring);
    } else if (data['text/markdown']) add('div', 'out-md', markdown(data['text/markdown']));
    else if (data['image/png']) {
      const picture = Object.assign(new Image(), { alt: data['text/plain'] ?? '', src: `data:image/png;base64,${data['image/png'].trim()}` });
      this.#place.append(picture);
    } else this.#text('out', data['text/plain'] ?? '');
  }

  error({ ename, evalue, traceback }) {
    this.#text('out err', [traceback, evalue ? `${ename}: ${evalue}` : ename].filter(Boolean).join('\n').replace(ANSI, ''));
  }

  #text(kind, text) {
    const pre = Object.assign(document.createElement('pre'), { className: kind });
    text.split('\n').forEach((line, i, all) => pre.append(verdict(i < all.length - 1 ? `${line}\n` : line)));
    this.#place.append(pre);
  }

  /** An id that stands elsewhere in the page gets the cell's number behind it. */
  #ownIds(html) {
    const ids = new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(found => found[1]));
    for (const id of ids) {
      const other = document.getElementById(id);
      if (!other || this.#place.contains(other)) continue;
      const whole = new RegExp(`(?<=[" #(])${id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=[" )])`, 'g');
      html = html.replace(whole, `${id}-${this.#number}`);
    }
    return html.replace(/<\?xml.*?\?>/, '');
  }
}

/** A line of text; the answer of a self-check is coloured by what it says. */
function verdict(line) {
  const kind = VERDICTS.find(([start]) => line.startsWith(start))?.[1];
  if (!kind) return line;
  return Object.assign(document.createElement('span'), { className: kind, textContent: line });
}
