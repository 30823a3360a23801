// Day 7: the day's board, through the script that counts an event once however often it comes.
import { slider } from './shared.mjs';

export const day7 = {
  script: 'leaderboard_add',
  heart: 'local function give_life',
  members: ['Ann', 'Ben', 'Chen', 'Dana', 'Eli'],
  keys: ['board:{2001}:day', 'board:{2001}:week', 'board:{2001}:counted'],
  settings: { points: 1 },
  sliders: [slider('points', 'points for a sale', 1, 20, 1)],
};
