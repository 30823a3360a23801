// The script beside the picture: coloured, numbered, editable. Tab walks on through the page.

import { faultOf, paint } from './lua.mjs';

const FRAME = (name, label) => `
  <div class="script-head"><code>${name}</code> <span class="edited" hidden>edited</span>
    <button type="button" class="quiet restore" hidden>Restore</button></div>
  <div class="editor"><pre class="numbers" aria-hidden="true"></pre><div class="sheet"><pre class="paint" aria-hidden="true"></pre>
    <textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" aria-label="${label}"></textarea></div></div>
  <div class="script-foot"><button type="button" class="again">Play again</button><p class="fault" role="alert"></p></div>`;

export class Editor {
  #lesson = '';

  /** Fills `root`; `again()` is called to play what stands there, `changed()` after each change. An empty
   *  box shows the `hint`. */
  constructor(root, { name, label, again, hint = '', changed = () => {} }) {
    root.innerHTML = FRAME(name, label);
    const part = selector => root.querySelector(selector);
    this.box = part('textarea');
    this.box.placeholder = hint;
    this.parts = { paint: part('.paint'), numbers: part('.numbers'), edited: part('.edited'), restore: part('.restore'), fault: part('.fault'), scroll: part('.editor') };
    this.again = part('.again');
    this.box.addEventListener('input', () => {
      this.#repaint();
      changed();
    });
    this.box.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) again();
    });
    this.again.addEventListener('click', again);
    this.parts.restore.addEventListener('click', () => {
      this.text = this.#lesson;
      this.again.focus();
      again();
    });
  }

  /** What stands in the box now. */
  get text() {
    return this.box.value;
  }

  set text(source) {
    this.box.value = source;
    this.#repaint();
  }

  /** The lesson's own text; setting it also puts it into the box. */
  get lesson() {
    return this.#lesson;
  }

  set lesson(source) {
    this.#lesson = source;
    this.text = source;
  }

  get isEdited() {
    return this.text !== this.#lesson;
  }

  /** Says what Redis said about the script and marks its line; null when all is well. */
  show(message) {
    const { line, words } = message ? faultOf(message) : { line: null, words: '' };
    this.parts.fault.textContent = line ? `Line ${line}: ${words}` : words;
    for (const [k, number] of [...this.parts.numbers.children].entries()) number.classList.toggle('wrong', k + 1 === line);
  }

  /** Scrolls so that the first line with this text stands near the top. */
  reveal(text = '') {
    const line = this.text.split('\n').findIndex(each => each.includes(text));
    const number = this.parts.numbers.children[line];
    if (number) this.parts.scroll.scrollTop = number.offsetTop - 40;
  }

  #repaint() {
    this.parts.paint.innerHTML = `${paint(this.text)}\n`;
    this.parts.numbers.innerHTML = this.text.split('\n').map((_, k) => `<i>${k + 1}</i>`).join('');
    this.parts.edited.hidden = !this.isEdited;
    this.parts.restore.hidden = !this.isEdited;
  }
}
