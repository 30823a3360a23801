// All instruments at once, for a notebook; a page loads the one it shows, see stage.mjs.

import { Board } from './board.mjs';
import { day0 } from './days/day0.mjs';
import { day1 } from './days/day1.mjs';
import { day2 } from './days/day2.mjs';
import { day3 } from './days/day3.mjs';
import { day4 } from './days/day4.mjs';
import { day5 } from './days/day5.mjs';
import { day6 } from './days/day6.mjs';
import { day7 } from './days/day7.mjs';
import { day8 } from './days/day8.mjs';
import { day9 } from './days/day9.mjs';
import { Failover } from './failover.mjs';
import { Limiter } from './limiter.mjs';
import { Orders } from './orders.mjs';
import { Prompt } from './prompt.mjs';
import { mount } from './shell.mjs';
import { Shop } from './shop.mjs';

const DAYS = {
  0: [Prompt, day0],
  1: [Limiter, day1],
  2: [Limiter, day2],
  3: [Limiter, day3],
  4: [Limiter, day4],
  5: [Orders, day5],
  6: [Orders, day6],
  7: [Board, day7],
  8: [Shop, day8],
  9: [Failover, day9],
};

/** The instrument of a day, "0" to "9", drawn into `shadow`; it plays nothing before its start(). */
export function build(shadow, css, day, server) {
  const [Instrument, config] = DAYS[day];
  return new Instrument(mount(shadow, css), config, server);
}
