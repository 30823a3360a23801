// Day 2: the boundary. Whoever moves the crowds well gets nearly twice the limit through.
import { bound, crowdSlider, fixedWindow, limitSlider, windowSlider } from './shared.mjs';

export const day2 = {
  ...fixedWindow,
  settings: { limit: 100, window: 1000, crowd: 100, starts: 'press' },
  sliders: [limitSlider, windowSlider, crowdSlider],
  choices: [{ name: 'starts', label: 'windows start', options: [['press', 'at the first press'], ['clock', 'on the clock']] }],
  keeps: 'starts',
  opening: '130@200',
  attack: ({ starts }) => (starts === 'clock' ? '100@950,100@1050' : '1@0,99@900,100@1100'),
  roof: 2.3,
  lines: ({ limit }) => [[limit, `limit ${limit}`]],
  bound,
  remark({ worst, settings, isEdited }) {
    if (isEdited) return '';
    if (worst.count < bound(settings)) return `Up to ${bound(settings)} can get through: move the crowds and find out how.`;
    return `More cannot get through windows that start ${settings.starts === 'clock' ? 'on the clock' : 'at the first press'}.`;
  },
};
