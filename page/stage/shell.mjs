// What all stages have around their instrument: headline, script, facts, a spoken line, buttons, sliders.

import { Editor } from './editor.mjs';
import { escape } from './lua.mjs';

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
export const seconds = ms => `${Number((ms / 1000).toFixed(3))} s`;
const counted = new Intl.NumberFormat('en'); // made once: making one is slow
export const presses = n => `${counted.format(n)} ${n === 1 ? 'press' : 'presses'}`;

/** The box in which an instrument is drawn, in a shadow root with its style. */
export function mount(shadow, css) {
  const style = Object.assign(document.createElement('style'), { textContent: css });
  const root = Object.assign(document.createElement('div'), { className: 'stage' });
  shadow.replaceChildren(style, root);
  return root;
}

const button = ([act, words, kind = '']) => `<button type="button" data-act="${act}" class="${kind}">${words}</button>`;

const slider = ({ name, label, min, max, step }) =>
  `<label class="slider">${label} <b data-of="${name}"></b><input type="range" name="${name}" min="${min}" max="${max}" step="${step}"></label>`;

const choice = ({ name, label, options }) =>
  `<fieldset><legend>${label}</legend>${options.map(([value, words]) => `<label><input type="radio" name="${name}" value="${value}"> ${words}</label>`).join('')}</fieldset>`;

export class Shell {
  /** Draws the frame of an instrument into `root`. `buttons`, `quiet`: [[method of the instrument, words]];
   *  `facts`: { name: term }. Its day has { script, sliders, choices }; one without a script has `aside`
   *  beside the picture. A moved knob is its turn(name, value); again() plays what stands in the editor. */
  constructor(root, instrument, { picture, buttons, quiet = [], facts, aside = '' }) {
    const { day } = instrument;
    this.root = root;
    this.day = day;
    root.innerHTML = `
      <p class="headline" aria-hidden="true">&nbsp;</p><p class="detail" aria-hidden="true"></p>
      <p class="unseen" role="status"></p>
      <div class="board"><div class="show">${picture}
        <div class="buttons">${buttons.map(button).join('')}<span>${quiet.map(each => button([...each, 'quiet'])).join('')}</span></div>
        <form class="knobs">${(day.sliders ?? []).map(slider).join('')}${(day.choices ?? []).map(choice).join('')}</form>
      </div><div class="${day.script ? 'script' : 'aside'}">${aside}</div></div>
      <dl class="facts">${Object.entries(facts).map(([name, term]) => `<div class="${name}"><dt>${term}</dt><dd>–</dd></div>`).join('')}</dl>`;
    this.editor = day.script && new Editor(root.querySelector('.script'), {
      name: `lua/${day.script}.lua`,
      label: 'The Lua script that decides. You can change it; Control and Enter plays it again.',
      again: () => instrument.again(),
    });
    root.addEventListener('click', ({ target }) => {
      const act = target.closest?.('[data-act]')?.dataset.act;
      if (act) instrument[act]();
    });
    root.addEventListener('submit', event => event.preventDefault());
    this.knobs = root.querySelector('.knobs');
    this.knobs.addEventListener('input', ({ target }) => instrument.turn(target.name, target.type === 'range' ? Number(target.value) : target.value));
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  /** The sentence above the picture, as HTML, and a quieter one below it, as text. */
  headline(html, detail = '') {
    this.part('.headline').innerHTML = html;
    this.part('.detail').textContent = detail;
  }

  /** Tells a screen reader what happened: by default the two sentences above the picture. */
  say(words = `${this.part('.headline').textContent} ${this.part('.detail').textContent}`) {
    this.part('[role=status]').textContent = words;
  }

  /** Shows settings on their sliders and radio buttons. */
  set(settings) {
    for (const { name, show = String } of this.day.sliders ?? []) {
      this.knobs.elements[name].value = settings[name];
      this.part(`[data-of=${name}]`).textContent = show(settings[name]);
    }
    for (const { name } of this.day.choices ?? []) this.knobs.elements[name].value = settings[name];
  }

  facts(told) {
    for (const [name, words] of Object.entries(told)) this.part(`.facts .${name} dd`).innerHTML = escape(words ?? '–');
  }
}
