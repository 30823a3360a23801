// Day 5: two buyers and one item. Two commands a buyer can fall in between each other in six ways.
import { box, circle, cross, word } from '../boxes.mjs';
import { interleavings } from '../orders.mjs';

const WHO = ['Ann', 'Ben'];
const [STOCK, BUYERS] = ['seckill:stock:{2001}', 'seckill:users:{2001}'];

/** Plays one order; `order` holds 0 for a step of Ann's and 1 for one of Ben's. */
async function tell(story, order, version) {
  const [stock, ...seen] = [story.key(STOCK)];
  await story.clear(STOCK, BUYERS);
  await story.send('SET', stock, 1);
  const acts = [];
  const bought = [];
  for (const who of order) {
    if (version === 'script') {
      const reply = await story.script([STOCK, BUYERS], WHO[who].toLowerCase());
      if (reply === 1) bought.push(who);
      acts.push({ who, lines: ['script', `→ ${reply}`], kind: 'script' });
    } else if (seen[who] === undefined) {
      seen[who] = Number(await story.send('GET', stock));
      acts.push({ who, lines: ['GET', `→ ${seen[who]}`], kind: 'read' });
    } else if (seen[who] > 0) {
      if (version === 'set') await story.send('SET', stock, seen[who] - 1);
      else await story.send('DECR', stock);
      bought.push(who);
      acts.push({ who, lines: version === 'set' ? ['SET', String(seen[who] - 1)] : ['DECR', ''].slice(0, 1), kind: 'write' });
    } else {
      acts.push({ who, lines: ['sold', 'out'], kind: 'gone' });
    }
  }
  const left = Number(await story.send('GET', stock));
  const isBad = bought.length > 1 || left + bought.length !== 1;
  const names = bought.map(who => WHO[who]);
  const sold = names.length === 2 ? `${names.join(' and ')} have both bought` : names.length ? `${names[0]} has bought` : 'nobody has bought';
  const name = order.map(who => WHO[who][0]).join(' ');
  return { acts, bought, left, isBad, name, told: `${order.map(who => WHO[who]).join(', ')}: ${sold}, and the stock is ${String(left).replace('-', '−')}.` };
}

const LANES = [34, 104];

function draw({ acts, bought, left, isBad }, width) {
  const from = 44;
  const pitch = (width - from - 4) / acts.length;
  const wide = Math.min(104, pitch - 8);
  const middle = k => from + pitch * (k + 0.5);
  let svg = WHO.map((who, k) => word(0, LANES[k] + 27, who, 'strong') + `<path class="lane" d="M${from} ${LANES[k] + 22}H${width}"/>`).join('');
  svg += acts.map(({ who, lines, kind }, k) => box(middle(k) - wide / 2, LANES[who], wide, 44, lines, kind)).join('');
  svg += word(from, 16, 'time →');
  svg += `<path class="floor" d="M0 168H${width}"/>` + word(0, 196, 'sold to');
  svg += bought.map((who, k) => (k && isBad ? cross : circle)(66 + k * 68, 191) + word(78 + k * 68, 196, WHO[who], 'strong')).join('');
  svg += word(width, 196, `stock 1 → ${String(left).replace('-', '−')}`, isBad ? 'bad' : 'well', 'end');
  return svg;
}

export const day5 = {
  script: 'seckill',
  heart: 'local on_sale',
  settings: { version: 'set' },
  choices: [{ name: 'version', label: 'a buyer sends', options: [['set', 'GET, then SET'], ['decr', 'GET, then DECR'], ['script', 'the script']] }],
  broken: 'set',
  mended: 'script',
  scripted: 'script', // the only version that plays what stands in the editor
  slider: 'all the orders of events',
  height: 210,
  rows: 1, // of tiles, on a wide screen
  orders: version => (version === 'script' ? interleavings(1, 1) : interleavings(2, 2)),
  tell,
  draw,
  headline: (bad, all) => (bad ? `<b class="bad">${bad} of ${all}</b> orders go wrong: one item, two buyers.` : `All <b class="well">${all}</b> orders sell the one item once.`),
};
