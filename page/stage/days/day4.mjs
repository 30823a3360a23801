// Day 4: a bucket of tokens. A burst as large as the bucket, then no faster than tokens drip.
import { SPAN_MS } from '../schedule.mjs';
import { crowdSlider, slider } from './shared.mjs';

/** Tokens over time [[t, tokens]]: what each reply said remains, and the refill in between. */
export function levels({ capacity, rate }, pressed) {
  const points = [[0, capacity]];
  let tokens = capacity;
  let at = 0;
  for (const { t, reply } of [...pressed, { t: SPAN_MS }]) {
    const fullAt = at + ((capacity - tokens) / rate) * 1000;
    if (fullAt < t) points.push([fullAt, capacity]);
    tokens = Math.min(capacity, tokens + ((t - at) / 1000) * rate);
    points.push([t, tokens]);
    if (reply) points.push([t, (tokens = reply[1])]);
    at = t;
  }
  return points;
}

export const day4 = {
  script: 'token_bucket',
  heart: 'local full = capacity',
  call: ({ capacity, rate }, _press, _k, slow) => ({ name: 'bucket:{2001}', argv: [capacity, rate, 1000 * slow, 1, { now: true }] }),
  look: key => ['GET', key],
  level: levels,
  settings: { capacity: 300, rate: 100, crowd: 100 },
  sliders: [slider('capacity', 'capacity', 10, 300, 10), slider('rate', 'refill a second', 10, 300, 10), crowdSlider],
  opening: '150@200,150@900,150@1600',
  attack: () => '400@100,100@110/10',
  roof: 1.2,
  lines: ({ capacity, rate }) => [[capacity + rate, `capacity ${capacity} + rate ${rate}`], [rate, `rate ${rate}`]],
  headline: ({ worst, limit, settings: { rate } }) =>
    worst.count > rate && worst.count <= limit ? `<b>${worst.count}</b> let in within one second, at a rate of <b>${rate}</b>.` : '',
  remark: ({ settings: { capacity, rate } }) => `${capacity} may come at once, then ${rate} a second: never over ${capacity + rate} in a second.`,
};
