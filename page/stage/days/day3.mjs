// Day 3: the log remembers every press, so any second counts; yesterday's window plays along.
import { crowdSlider, fixedWindow, limitSlider, windowSlider } from './shared.mjs';

export const day3 = {
  script: 'sliding_window_log',
  heart: 'local edge_ms',
  call: ({ limit, window }, _, k, slow) => ({ name: 'limit:{2001}', argv: [limit, window * slow, `press-${k + 1}`, 1, { now: true }] }),
  look: key => ['ZCARD', key],
  rival: { ...fixedWindow, words: 'fixed window' },
  slides: true,
  settings: { limit: 100, window: 1000, crowd: 100 },
  sliders: [limitSlider, windowSlider, crowdSlider],
  opening: '60@0,60@600,60@1200,60@1800',
  attack: () => '1@0,99@900,100@1100',
  roof: 2.3,
  lines: ({ limit }) => [[limit, `limit ${limit}`]],
  remark: ({ rival, limit }) => (rival?.worst.count > limit ? `The fixed window lets ${rival.worst.count} of the same crowd into one window.` : ''),
};
