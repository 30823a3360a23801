// What a run shows, as numbers. Times are milliseconds and sorted; the same measures as lab.runs.

/** The busiest window, the first of equals: how many, and its two ends. A window (t − w, t] leaves
 *  out a press that is exactly w old; `closed` counts it. */
export function worst(times, windowMs, closed = false) {
  let busiest = { count: 0, start: 0, end: 0 };
  for (let newest = 0, oldest = 0; newest < times.length; newest++) {
    const edge = times[newest] - windowMs;
    while (closed ? times[oldest] < edge : times[oldest] <= edge) oldest++;
    const count = newest - oldest + 1;
    if (count > busiest.count) busiest = { count, start: edge, end: times[newest] };
  }
  return busiest;
}

/** Steps [t, let in during the window that ends at t]: the count holds from t on. */
export function curve(times, windowMs) {
  const change = new Map();
  for (const t of times) {
    change.set(t, (change.get(t) ?? 0) + 1);
    change.set(t + windowMs, (change.get(t + windowMs) ?? 0) - 1);
  }
  let inside = 0;
  return [...change].sort((a, b) => a[0] - b[0]).map(([t, by]) => [t, (inside += by)]);
}

/** The counter's lives as its time to live told them: { from, to, used }; `to` is Infinity for one
 *  without an end. With `aligned`, the windows of the clock up to `untilMs`. */
export function lives(presses, windowMs, { aligned = false, untilMs = 0 } = {}) {
  const found = [];
  if (aligned) for (let from = 0; from < untilMs; from += windowMs) found.push({ from, to: from + windowMs, used: 0 });
  for (const { t, allowed, lifeMs } of presses) {
    let current = aligned ? found[Math.floor(t / windowMs)] : found.at(-1);
    if (!current || (!aligned && t > current.to)) found.push((current = { from: t, to: t, used: 0 }));
    if (!aligned && lifeMs !== undefined) current.to = lifeMs === -1 ? Infinity : Math.max(t, t + lifeMs);
    current.used += allowed ? 1 : 0;
  }
  return found;
}
