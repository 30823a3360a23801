// Day 6: the consumer dies at every point of its work and is started again. Redis is the real one; the
// database is a table in this module that knows transactions and, if asked, a unique key.
import { box, circle, cross, hollow, word } from '../boxes.mjs';

const USERS = ['ann', 'ben', 'chen'];
const [STOCK, BUYERS, ORDERS] = ['seckill:stock:{2001}', 'seckill:users:{2001}', 'seckill:orders:{2001}'];
const GROUP = 'orders';

/** Rows that are only there once they are committed. */
export class Table {
  rows = [];
  #open = [];

  constructor(isUnique) {
    this.isUnique = isUnique;
  }

  insert(id) {
    if (this.isUnique && [...this.rows, ...this.#open].includes(id)) return; // INSERT … ON CONFLICT DO NOTHING
    this.#open.push(id);
  }

  commit() {
    this.rows.push(...this.#open.splice(0));
  }

  rollback() {
    this.#open = [];
  }
}

const STEPS = { commit: ['read', 'insert', 'commit', 'board', 'ack'], plain: ['read', 'insert', 'commit', 'board', 'ack'], first: ['read', 'ack', 'insert', 'commit', 'board'] };
const POINTS = {
  commit: [null, 'insert', 'commit', 'board', 'ack'],
  plain: [null, 'insert', 'commit', 'board', 'ack'],
  first: [null, 'ack', 'insert', 'commit', 'board'],
};
const NAMES = { insert: 'before insert', commit: 'before commit', board: 'after commit', ack: 'before ack' };

async function work(story, table, version, dies, from) {
  const key = story.key(ORDERS);
  let ids = [];
  for (const step of STEPS[version]) {
    if (step === dies) {
      table.rollback();
      return;
    }
    if (step === 'read') {
      const reply = await story.send('XREADGROUP', 'GROUP', GROUP, 'consumer-1', 'COUNT', 100, 'STREAMS', key, from);
      ids = (reply?.[0]?.[1] ?? []).map(([id]) => id);
      if (!ids.length) return;
    }
    if (step === 'insert') ids.forEach(id => table.insert(id));
    if (step === 'commit') table.commit();
    if (step === 'ack') await story.send('XACK', key, GROUP, ...ids);
  }
}

async function tell(story, dies, version) {
  const key = story.key(ORDERS);
  await story.clear(STOCK, BUYERS, ORDERS);
  await story.send('SET', story.key(STOCK), USERS.length);
  await story.send('XGROUP', 'CREATE', key, GROUP, 0, 'MKSTREAM');
  let bought = 0;
  for (const user of USERS) if ([await story.script([STOCK, BUYERS, ORDERS], user, '2001')].flat()[0] === 1) bought++;
  const table = new Table(version !== 'plain');
  const look = async () => ({ rows: [...table.rows], pending: (await story.send('XPENDING', key, GROUP))[0] });
  await work(story, table, version, dies, '>');
  const crashed = await look();
  if (dies) {
    await work(story, table, version, null, '0'); // what is pending comes first
    await work(story, table, version, null, '>');
  }
  const after = await look();
  const distinct = new Set(after.rows).size;
  const [lost, doubled] = [bought - distinct, after.rows.length - distinct];
  const wrong = [lost && `${lost} lost`, doubled && `${doubled} doubled`, after.pending && `${after.pending} still pending`].filter(Boolean).join(', ');
  const name = dies ? NAMES[dies] : 'no crash';
  const told = `${dies ? `Killed ${name}: ${crashed.rows.length} rows, ${crashed.pending} pending. Started again: ` : 'Nobody dies: '}${after.rows.length} rows, ${after.pending} pending${wrong ? `: ${wrong}` : ''}.`;
  return { dies, version, bought, crashed, after, lost, doubled, isBad: Boolean(wrong), name, told };
}

function draw({ dies, version, bought, crashed, after, lost, doubled }, width) {
  const steps = STEPS[version];
  const pitch = width / steps.length;
  const wide = Math.min(100, pitch - 12);
  const end = dies ? steps.indexOf(dies) : steps.length;
  let svg = `<path class="lane" d="M0 38H${width}"/>`;
  svg += steps.map((step, k) => box(pitch * (k + 0.5) - wide / 2, 16, wide, 44, [step], k < end ? (step === 'commit' ? 'write' : 'read') : 'gone')).join('');
  if (dies) {
    const x = pitch * end;
    svg += `<path class="crash" d="M${x} 0V76"/>` + cross(x, 38, 8) + word(Math.min(width - 52, Math.max(52, x)), 92, 'killed here', 'bad', 'middle');
  }
  const y = k => 128 + k * 34;
  const wideEnough = width > 440;
  const [at, apart] = wideEnough ? [230, 24] : [94, 15];
  const line = (k, words, { rows, pending }, isLast) => {
    const firsts = [...new Set(rows)];
    let signs = firsts.map((_, n) => circle(at + n * apart, y(k) - 5)).join('');
    signs += Array.from({ length: rows.length - firsts.length }, (_, n) => cross(at + (firsts.length + n) * apart, y(k) - 5)).join('');
    if (isLast) signs += Array.from({ length: Math.max(0, lost) }, (_, n) => hollow(at + (firsts.length + n) * apart, y(k) - 5) + cross(at + (firsts.length + n) * apart, y(k) - 5, 5)).join('');
    return word(0, y(k), words, 'strong') + signs + word(width, y(k), `${rows.length} rows · ${pending} pending`, isLast && (lost || doubled) ? 'bad' : isLast ? 'well' : '', 'end');
  };
  svg += `<path class="floor" d="M0 104H${width}"/>`;
  svg += word(0, y(0), wideEnough ? 'bought, and in the stream' : 'bought', 'strong') + Array.from({ length: bought }, (_, n) => circle(at + n * apart, y(0) - 5)).join('');
  svg += line(1, dies ? (wideEnough ? 'in the table at the crash' : 'at the crash') : 'in the table', crashed, false);
  svg += line(2, wideEnough ? 'in the table after a restart' : 'restarted', after, true);
  return svg;
}

export const day6 = {
  script: 'seckill_enqueue',
  heart: 'XADD goes first',
  settings: { version: 'commit' },
  choices: [
    { name: 'version', label: 'the consumer', options: [['commit', 'commits, then acknowledges'], ['plain', 'the same, without a unique key'], ['first', 'acknowledges first']] },
  ],
  broken: 'first',
  mended: 'commit',
  slider: 'nobody dies, then every point to die at',
  height: 218,
  rows: 2, // of tiles, on a wide screen
  orders: version => POINTS[version],
  tell,
  draw,
  headline: (bad, all) =>
    bad ? `<b class="bad">${bad} of ${all - 1}</b> ways to die lose an order or write it twice.` : `It may die anywhere: <b class="well">nothing</b> is lost, nothing doubled.`,
};
