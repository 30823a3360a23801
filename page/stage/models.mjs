// What is right, written down once more and slowly: a press list in, a verdict for each press out.
// A press is { t, cost }, t in ms from a whole minute. Each model is the definition, not a trick.

/** Opened by its first press, over after window_ms; a key at PTTL 0 still stands. `counter`: a full
 *  one without an end that is there at first. */
function window({ limit, window_ms, counter = null }, presses) {
  let open = counter === null ? null : { from: presses[0]?.t ?? 0, used: counter };
  return presses.map(({ t, cost }) => {
    if (open && t > open.from + window_ms) open = null;
    const used = open?.used ?? 0;
    if (cost < 1 || used + cost > limit) return false;
    open = { from: open?.from ?? t, used: used + cost };
    return true;
  });
}

function log({ limit, window_ms }, presses) {
  const inside = [];
  return presses.map(({ t, cost }) => {
    const used = inside.filter(each => each.t > t - window_ms).reduce((sum, each) => sum + each.cost, 0);
    if (cost < 1 || used + cost > limit) return false;
    inside.push({ t, cost });
    return true;
  });
}

function counter({ limit, window_ms }, presses) {
  const counts = new Map();
  return presses.map(({ t, cost }) => {
    const here = Math.floor(t / window_ms);
    const [previous, current] = [counts.get(here - 1) ?? 0, counts.get(here) ?? 0];
    const left = (here + 1) * window_ms - t;
    if (previous * left + (current + cost) * window_ms > limit * window_ms) return false;
    counts.set(here, current + cost);
    return true;
  });
}

/** In whole drops: a token is refill_period_ms of them, refill_count fall each millisecond. */
function bucket({ capacity, refill_count, refill_period_ms }, presses) {
  const full = capacity * refill_period_ms;
  let drops = full;
  let at = 0;
  return presses.map(({ t, cost }) => {
    drops = Math.min(full, drops + (t - at) * refill_count);
    at = t;
    if (cost < 1 || drops < cost * refill_period_ms) return false;
    drops -= cost * refill_period_ms;
    return true;
  });
}

export const models = { window, log, counter, bucket };

/** Every single press of a case's [[t, how many, weight]], with the index of its group. */
export const expand = groups => groups.flatMap(([t, n, cost = 1], group) => Array.from({ length: n }, () => ({ t, cost, group })));
