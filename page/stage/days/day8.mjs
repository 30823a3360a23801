// Day 8: the whole shop on one night, on the scripts of days 3 and 6.
import { slider } from './shared.mjs';

export const day8 = {
  script: 'seckill_enqueue',
  door: 'sliding_window_ring',
  heart: 'XADD goes first',
  settings: { people: 500, limit: 100, stock: 100, drain: 25 },
  sliders: [
    slider('people', 'people', 100, 1000, 50),
    slider('limit', 'let in a second', 50, 300, 10),
    slider('stock', 'stock', 20, 200, 10),
    slider('drain', 'written a second', 10, 100, 5),
  ],
};
