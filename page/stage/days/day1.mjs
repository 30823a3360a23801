// Day 1: one counter, one window, and what happens when the counter loses its end.
import { crowdSlider, fixedWindow, slider, windowSlider } from './shared.mjs';

/** The script as many copy it: the counter gets no end, and nobody looks whether it has one. */
const withoutEnd = source =>
  source
    .replace(/redis\.call\('SET', counter, cost, 'PX', window_ms\)/, "redis.call('SET', counter, cost) -- BROKEN: no end")
    .replace(/^if endless then$/m, 'if false then -- BROKEN: nobody looks for it');

export const day1 = {
  ...fixedWindow,
  settings: { limit: 5, window: 1000, crowd: 20, dead: 'no' },
  sliders: [slider('limit', 'limit', 1, 30, 1), windowSlider, { ...crowdSlider, min: 5, max: 100, step: 5 }],
  choices: [{ name: 'dead', label: 'the counter is', options: [['no', 'not there yet'], ['yes', 'dead: full, and without an end']] }],
  before: ({ dead, limit }, key) => (dead === 'yes' ? [['SET', key, limit + 100]] : []),
  opening: '20@0/150',
  attack: () => '20@0/150',
  sabotage: withoutEnd,
  roof: 2.3,
  lines: ({ limit }) => [[limit, `limit ${limit}`]],
  headline: ({ source, pressed, inside }) =>
    source.includes('BROKEN') && inside && pressed.at(-1)?.lifeMs === -1 && pressed.findIndex(press => !press.allowed) === inside
      ? `<b class="over">${inside}</b> let in, and then nobody, for ever.`
      : '',
  remark({ source, rival, settings, pressed }) {
    if (source.includes('BROKEN')) return `The counter has no end. The lesson’s script lets in ${rival?.times.length}: restore it.`;
    if (settings.dead === 'yes' && pressed.length > 1) return 'The dead counter refuses one window long; the script has given it an end.';
    return '';
  },
};
