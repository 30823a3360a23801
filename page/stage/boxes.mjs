// Steps as boxes on a lane, for the pictures of days 5 and 6; signs for what came out.

import { escape } from './lua.mjs';

/** A box with a line or two of words in its middle; `kind` is a class: read, write, gone, script. */
export function box(x, y, width, height, lines, kind = '') {
  const middle = y + height / 2 - (lines.length - 1) * 8 + 4.5;
  return `<rect class="box ${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>${lines
    .map((line, k) => `<text class="${k ? '' : 'strong'}" x="${x + width / 2}" y="${middle + k * 16}" text-anchor="middle">${escape(line)}</text>`)
    .join('')}`;
}

export const circle = (x, y, r = 7) => `<circle class="in" cx="${x}" cy="${y}" r="${r}"/>`;
export const hollow = (x, y, r = 7) => `<circle class="wait" cx="${x}" cy="${y}" r="${r}"/>`;
export const cross = (x, y, r = 6) => `<path class="no" d="M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}"/>`;
export const word = (x, y, text, kind = '', anchor = 'start') => `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${escape(text)}</text>`;
