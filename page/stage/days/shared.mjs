// What the limiters of several days have in common.

import { seconds } from '../shell.mjs';

export const slider = (name, label, min, max, step, show = String) => ({ name, label, min, max, step, show });

export const windowSlider = slider('window', 'window', 250, 2000, 250, seconds);
export const crowdSlider = slider('crowd', 'crowd', 10, 300, 10);
export const limitSlider = slider('limit', 'limit', 10, 200, 5);

/** How day 1's script is called; on a clock that runs on, its windows are stretched by `slow`. */
export const fixedWindow = {
  script: 'fixed_window',
  call: ({ limit, window, starts }, { t }, _, slow) => ({
    name: `limit:{2001}${starts === 'clock' ? `:${Math.floor(t / window)}` : ''}`,
    argv: [limit, window * slow, 1],
  }),
  heart: 'local counter = KEYS[1]',
  look: key => ['GET', key],
};

/** The worst window between two neighbours of w ms: 2L − 1 if the first press opens it, 2L on the clock. */
export const bound = ({ limit, starts }) => (starts === 'clock' ? 2 * limit : Math.max(0, 2 * limit - 1));
