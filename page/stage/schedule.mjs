// A schedule as it stands in an address: "1@0,99@900" is one press at 0 ms and 99 at 900 ms;
// "20@0/150" is 20 presses, one every 150 ms from 0.

export const SPAN_MS = 3000; // length of the time axis
export const MOST = 400; // presses in one crowd
const ALL = 1200; // presses that one run makes at most

const within = (value, low, high) => Math.max(low, Math.min(high, value));

/** The crowds of a text, { n, t, every }; what is not one is passed over, numbers stay in bounds. */
export const readSchedule = text =>
  [...text.matchAll(/(\d+)@(\d+)(?:\/(\d+))?/g)].map(([, n, t, every]) => ({
    n: within(Number(n), 1, MOST),
    t: within(Number(t), 0, SPAN_MS),
    every: Number(every) || 0,
  }));

export const writeSchedule = crowds => crowds.map(({ n, t, every }) => `${n}@${t}${every ? `/${every}` : ''}`).join(',');

/** Every single press, { t, crowd }, in order of time; `crowd` is the index of its crowd. */
export const pressesOf = crowds =>
  crowds
    .flatMap(({ n, t, every }, crowd) => Array.from({ length: n }, (_, k) => ({ t: t + k * every, crowd })))
    .filter(press => press.t <= SPAN_MS)
    .sort((a, b) => a.t - b.t)
    .slice(0, ALL);

/** One crowd as two, the second a tenth of a second later (earlier at the end of the axis). */
export function split({ n, t, every }) {
  if (n < 2) return [{ n, t, every }];
  const half = Math.floor(n / 2);
  const later = every ? t + (n - half) * every : t + 100 <= SPAN_MS ? t + 100 : t - 100;
  return [{ n: n - half, t, every }, { n: half, t: within(later, 0, SPAN_MS), every }];
}
