// Every press falls on its moment like a grain of sand. Large heaps get finer sand and gentler slopes.

const SANDS = [ // [px from grain to grain, cost of sliding a column aside]
  [14, 2.4], [12, 2.4], [10.5, 2.4], [9, 2.4], [8, 2.4], [7, 2.4], [6.4, 2.4], [5.6, 2.2], [5, 1.8], [4.4, 1.4], [4, 1], [3.6, 0.75], [3.2, 0.5], [2.8, 0.35],
];
const REACH = 16; // columns that a grain slides at most

/** Places for presses [{ t }] over an axis `xOf(t)`, as [{ x, up }] in px, `up` from the floor; and
 *  the pitch of the sand, chosen so that no heap is higher than `height` where that can be. */
export function heap(presses, xOf, height) {
  for (const [pitch, slope] of SANDS) {
    const rows = new Map();
    const grains = presses.map(({ t }) => {
      const home = Math.round(xOf(t) / pitch);
      let column = home;
      let least = Infinity;
      for (let aside = 0; aside > -REACH; aside = aside > 0 ? -aside : 1 - aside) { // 0, 1, −1, 2, −2 ...
        const effort = (rows.get(home + aside) ?? 0) + slope * aside * aside;
        if (effort < least) [column, least] = [home + aside, effort];
      }
      rows.set(column, (rows.get(column) ?? 0) + 1);
      return { column, t, up: (rows.get(column) - 0.5) * pitch };
    });
    for (const grain of grains) grain.x = rows.get(grain.column) === 1 ? xOf(grain.t) : grain.column * pitch; // a lone one stands exactly
    if (pitch === SANDS.at(-1)[0] || Math.max(0, ...rows.values()) * pitch <= height) return { grains, pitch };
  }
  throw new Error('there is no sand');
}
