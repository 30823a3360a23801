// Things for sale as squares, and people, for the pictures of days 8 and 9: filled one column after
// another, so that the order of the sale goes from left to right. Each kind has a shape of its own.

const fixed = number => Number(number.toFixed(1));

const SHAPES = {
  stock: (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}z`,
  sold: (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}z`,
  heard: (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}zm${fixed(s * 0.36)} ${fixed(s * 0.36)}h${fixed(s * 0.28)}v${fixed(s * 0.28)}h${fixed(-s * 0.28)}z`,
  flight: (x, y, s) => `M${x} ${y}v${s}h${s}z`,
  over: (x, y, s) => `M${x} ${y}h${s}v${s}h${-s}zm${fixed(s * 0.25)} ${fixed(s * 0.25)}l${fixed(s / 2)} ${fixed(s / 2)}m0 ${fixed(-s / 2)}l${fixed(-s / 2)} ${fixed(s / 2)}`,
  away: (x, y, s) => `M${x} ${y}l${s} ${s}m0 ${-s}l${-s} ${s}`,
  bought: (x, y, s) => `M${x} ${fixed(y + s / 2)}a${fixed(s / 2)} ${fixed(s / 2)} 0 1 0 ${s} 0a${fixed(s / 2)} ${fixed(s / 2)} 0 1 0 ${-s} 0z`,
  late: (x, y, s) => `M${x} ${fixed(y + s / 2)}h${s}`,
  letter: (x, y, s) => `M${x} ${fixed(y + s * 0.12)}h${s}v${fixed(s * 0.76)}h${-s}zl${fixed(s / 2)} ${fixed(s * 0.46)}l${fixed(s / 2)} ${fixed(-s * 0.46)}`,
};

SHAPES.coming = SHAPES.bought; // not yet filled
SHAPES.rim = SHAPES.stock;

export const range = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, k) => from + k);

/** A grid of `rows` rows in `width` px, with room for `most` squares a row; `pitch` px from one to the next. */
export class Grid {
  constructor(width, { rows = 4, most = 25, widest = Infinity } = {}) {
    this.rows = rows;
    this.pitch = Math.min(widest, width / (most + 0.3 * (most / 5 - 1)));
    this.side = fixed(this.pitch * 0.76);
  }

  get height() {
    return this.rows * this.pitch;
  }

  /** The left edge of a column, in px; after five columns comes a gap. */
  x(column) {
    return column * this.pitch + Math.floor(column / 5) * this.pitch * 0.3;
  }

  /** These places, all of one kind, as one path; `top` is the y of the first row. */
  draw(kind, places, top) {
    const d = places.map(k => SHAPES[kind](fixed(this.x(Math.floor(k / this.rows))), fixed(top + (k % this.rows) * this.pitch), this.side)).join('');
    return d && `<path class="${kind}" d="${d}"/>`;
  }

  /** A line between the first n squares and the rest, from `from` down to `to`; { d, x }, x where it ends. */
  edge(n, top, from, to) {
    const column = Math.floor(n / this.rows);
    const inside = n % this.rows;
    const gap = (this.pitch - this.side) / 2;
    const left = fixed(this.x(column) - gap);
    const right = fixed(this.x(column + 1) - gap);
    const step = fixed(top + inside * this.pitch - gap);
    return inside ? { d: `M${right} ${from}V${step}H${left}V${to}`, x: left } : { d: `M${left} ${from}V${to}`, x: left };
  }
}
