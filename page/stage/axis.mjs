// Drawing on the time axis: strings of SVG. Above the floor every press, below it the count over the
// last window. Let in is a filled circle, refused a cross, not yet answered a hollow circle.

import { seconds } from './shell.mjs';

export const ROOF = 10;
export const FLOOR = 228;
export const PILLS = 240;
export const BRACKET = 298;
export const CURVE = 338;
export const GROUND = 448;
export const HEIGHT = 474;

const fixed = number => Number(number.toFixed(1));

export const across = (xOf, spanMs) => [xOf(0), xOf(spanMs)].map(fixed);

/** One press. `pitch` is the room it has, in px. */
export function mark({ x, up }, press, pitch) {
  const y = fixed(FLOOR - up);
  const arm = fixed(pitch * 0.31);
  if (press.allowed === undefined) return `<circle class="wait" cx="${fixed(x)}" cy="${y}" r="${fixed(pitch * 0.36)}"/>`;
  if (press.allowed) return `<circle class="in" cx="${fixed(x)}" cy="${y}" r="${fixed(pitch * 0.41)}"/>`;
  return `<path class="no" d="M${fixed(x - arm)} ${fixed(y - arm)}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}"/>`;
}

/** Ticks every half second, the floor, the ground of the curve. */
export function grid(xOf, spanMs) {
  const [left, right] = across(xOf, spanMs);
  let svg = '';
  for (let t = 0; t <= spanMs; t += 500) {
    const x = fixed(xOf(t));
    const anchor = t === spanMs ? 'end' : 'middle';
    svg += `<path d="M${x} ${CURVE}V${GROUND + 5}"/><text x="${t === spanMs ? x + 12 : x}" y="${GROUND + 20}" text-anchor="${anchor}">${t ? seconds(t) : '0'}</text>`;
  }
  return `${svg}<path class="floor" d="M${left} ${FLOOR}H${right}M${left} ${GROUND}H${right}"/>`;
}

/** Windows as bands, each with how full it was; `words` is shortened to the room there is. */
export function bands(windows, limit, xOf, spanMs) {
  return windows
    .filter(({ from }) => from < spanMs)
    .map(({ from, to, used }, k) => {
      const x = xOf(from);
      const room = Math.max(0, xOf(Math.min(to, spanMs)) - x - 1);
      const short = `${used} of ${limit}`;
      const words = to === Infinity ? `${short}, without an end` : [`window ${k + 1}: ${short}`, short, ''].find(each => each.length * 6.8 + 12 < room);
      return `<rect class="band" x="${fixed(x)}" y="${ROOF}" width="${fixed(room)}" height="${FLOOR - ROOF}" rx="4"/>
        <text class="${used < limit ? '' : 'full'}" x="${fixed(x + 7)}" y="${ROOF + 17}">${words ?? ''}</text>`;
    })
    .join('');
}

/** Tokens in the bucket: levels [t, tokens] joined by straight lines. */
export function level(points, capacity, xOf) {
  const yOf = tokens => FLOOR - (tokens / Math.max(1, capacity)) * (FLOOR - ROOF - 26);
  const line = points.map(([t, tokens]) => `${fixed(xOf(t))} ${fixed(yOf(tokens))}`).join('L');
  return `<path class="level" d="M${fixed(xOf(0))} ${FLOOR}L${line}V${FLOOR}Z"/>
    <text class="accent" x="${fixed(xOf(points.at(-1)[0]) - 12)}" y="${ROOF + 8}" text-anchor="end">tokens in the bucket, ${capacity} when full</text>`;
}

/** How many of each crowd got in, above its heap; labels climb until they stand free. */
export function counts(crowds, pressed, { grains, pitch }, width) {
  const taken = [];
  return crowds
    .map(({ every }, crowd) => {
      const own = grains.filter((_, k) => pressed[k].crowd === crowd);
      if (!own.length || (own.length < 2 && crowds.length > 3)) return '';
      const answered = pressed.filter(press => press.crowd === crowd && press.allowed !== undefined);
      const inside = answered.filter(press => press.allowed).length;
      const outside = answered.length - inside;
      if (!answered.length) return '';
      const half = (inside && outside ? 142 : outside ? 88 : 54) / 2;
      const x = Math.max(half - 8, Math.min(width - half, every ? own[Math.floor(own.length * 0.7)].x : own[0].x));
      const near = every ? own.slice(own.length / 2) : grains.filter(grain => Math.abs(grain.x - own[0].x) < 24);
      let y = FLOOR - pitch - 4 - Math.max(...near.map(grain => grain.up));
      while (taken.some(box => Math.abs(box.x - x) < box.half + half && Math.abs(box.y - y) < 16)) y -= 4;
      taken.push({ x, y, half });
      const told = [inside && `<tspan class="in">${inside} in</tspan>`, outside && `<tspan class="no">${outside} refused</tspan>`];
      return `<text class="count" x="${fixed(x)}" y="${fixed(y)}" text-anchor="middle">${told.filter(Boolean).join(' · ')}</text>`;
    })
    .join('');
}

/** The busiest window, shaded, with a bracket under the floor. */
export function bracket({ count, start, end }, name, xOf, spanMs) {
  if (!count) return '';
  const from = Math.max(0, start);
  const [x, to] = [xOf(from), xOf(Math.max(end, from + 1))].map(fixed);
  const words = `the worst ${name}`;
  const room = words.length * 6.9;
  const beside = to + 7 + room < xOf(spanMs) ? `x="${to + 7}"` : `x="${Math.max(x - 7, room)}" text-anchor="end"`;
  return `<rect class="worst" x="${x}" y="${ROOF}" width="${fixed(to - x)}" height="${FLOOR - ROOF}"/>
    <path class="bracket" d="M${x} ${FLOOR + 1}V${BRACKET}H${to}V${FLOOR + 1}"/><text class="accent" ${beside} y="${BRACKET + 4}">${words}</text>`;
}

/** The lower picture. `lines`: [[value, words]], the promise first; `steps` from curve(); `rival` the
 *  same crowd through another script, { steps, worst, words }. */
export function graph({ steps, worst, lines, rival, untilMs, spanMs, name, xOf, roof }) {
  const limit = lines[0][0];
  const yOf = count => fixed(GROUND - (count / Math.max(1, roof)) * (GROUND - CURVE));
  const [left, right] = across(xOf, spanMs);
  const path = (points, bound = count => count) => {
    let svg = `M${left} ${yOf(bound(0))}`;
    let held = 0;
    for (const [t, count] of points) {
      if (t > untilMs) break;
      svg += `H${fixed(xOf(t))}V${yOf(bound(count))}`;
      held = count;
    }
    return `${svg}H${fixed(xOf(untilMs))}V${yOf(bound(held))}`;
  };
  const over = worst.count > limit;
  const words = `${worst.count} in ${name}${over ? ` — ${lines[0][1]}` : ''}`;
  const room = words.length * 8.2;
  const [x, y] = [fixed(xOf(worst.end)), yOf(worst.count)];
  const from = Math.max(left, Math.min(x + 5, right - room));
  const crowded = from + room > right - lines[0][1].length * 7 && Math.abs(y - yOf(limit)) < 22; // then the limit's words go below
  return `<text x="${left}" y="${CURVE - 14}">let in during the last ${name.replace('one ', '')}</text>
    <path class="area" d="${path(steps, count => Math.min(count, limit))}V${GROUND}H${left}Z"/>
    <path class="area over" d="${path(steps, count => Math.max(count, limit))}V${yOf(limit)}H${left}Z"/>
    ${lines
      .map(
        ([value, told], k) => `<path class="limit ${k ? 'minor' : ''}" d="M${left} ${yOf(value)}H${right}"/>
      <text class="full" x="${right}" y="${yOf(value) + (crowded && !k ? 16 : -6)}" text-anchor="end">${told}</text>`,
      )
      .join('')}
    ${
      rival
        ? `<path class="rival" d="${path(rival.steps)}"/><text x="${fixed(Math.min(xOf(rival.worst.end) + 5, right - 160))}" y="${yOf(rival.worst.count) - 6}">${rival.words}: ${rival.worst.count}</text>`
        : ''
    }
    <path class="line" d="${path(steps)}"/>
    ${worst.count ? `<circle class="peak" cx="${x}" cy="${y}" r="4"/><text class="peak" x="${fixed(from)}" y="${y - 10}">${words}</text>` : ''}`;
}
