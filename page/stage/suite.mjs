// The cases against a script that somebody brings. `play(job)` plays on a Redis, see play.mjs.

import { expand, models } from './models.mjs';

export const KINDS = {
  window: 'fixed window',
  log: 'sliding window, exact',
  counter: 'sliding window, two counters',
  bucket: 'token bucket or GCRA',
  seckill: 'seckill',
};

export const READINGS = {
  positive: ['the reply, or its first part, is above 0', value => Number(value) > 0],
  zero: ['it is 0', value => value !== null && Number(value) === 0],
  within: ['it is a count up to the limit', (value, { limit, capacity }) => Number(value) <= (limit ?? capacity)],
  something: ['it is not nil', value => value !== null && value !== undefined],
};

const words = line => line.trim().split(/\s+/).filter(Boolean);

/** The words of KEYS or ARGV with their $names filled in; $now_ms is left for whoever plays.
 *  Throws for a name that is not known. */
export function fill(line, values) {
  return words(line).map(word => {
    if (!word.startsWith('$')) return word;
    const name = word.slice(1);
    if (name === 'now_ms') return { now: true };
    if (name === 'now_s') return { now: 's' };
    if (values[name] === undefined) throw new Error(`${word} is not known here. There is ${Object.keys(values).map(each => `$${each}`).join(', ')}, $now_ms and $now_s.`);
    return values[name];
  });
}

function valuesOf(kind, given, { cost = 1, id = 'press-1' } = {}) {
  if (kind === 'seckill') return { user: id, sku: '2001' };
  const common = { cost, press_id: id };
  if (kind !== 'bucket') return { limit: given.limit, window_ms: given.window_ms, window_s: given.window_ms / 1000, ...common };
  const { capacity, refill_count, refill_period_ms } = given;
  return { capacity, refill_count, refill_period_ms, rate: (refill_count * 1000) / refill_period_ms, interval_ms: refill_period_ms / refill_count, ...common };
}

const firstOf = reply => (Array.isArray(reply) ? (reply.length ? reply[0] : null) : reply);
const isOurs = (fault, steps) => fault && steps[fault.step]?.isScript;

/** Plays the presses on an empty server: { allowed: [], fault, lifeMs, strays }. */
async function ask(play, script, given, presses) {
  const keys = fill(script.keys, valuesOf(script.kind, given));
  if (!keys.length) throw new Error('Name the keys first, as in limit:{2001}: a script that gets no KEYS cannot run on a cluster.');
  const call = ({ t, cost }, k) => ({ at: t, isScript: true, words: ['EVALSHA', { script: 'main' }, keys.length, ...keys, ...fill(script.args, valuesOf(script.kind, given, { cost, id: `press-${k + 1}` }))] });
  const before = (given.before ?? []).map(each => ({ at: presses[0]?.t ?? 0, words: each.map(word => (word === '$key' ? keys[0] : word)) }));
  const allowed = [];
  const last = presses.at(-1)?.t ?? 0;
  const steps = [{ words: ['FLUSHALL'] }, ...before, ...presses.map(call), { at: last, words: ['PTTL', keys[0]] }, { at: last, words: ['KEYS', '*'] }];
  const { replies, fault } = await play({ scripts: { main: script.lua }, steps, goOn: true });
  if (fault && (fault.step < 0 || !isOurs(fault, steps))) return { allowed, fault: fault.message };
  const [, read] = READINGS[script.reading];
  for (const [k] of presses.entries()) {
    const reply = replies[1 + before.length + k];
    if (reply?.error) return { allowed, fault: reply.error, at: k };
    allowed.push(read(firstOf(reply), given));
  }
  const strays = replies.at(-1).filter(key => !keys.includes(key));
  return { allowed, lifeMs: replies.at(-2), strays };
}

const differs = (allowed, right, ignored) => allowed.findIndex((each, k) => !ignored(k) && each !== right[k]);

/** The smallest part of the presses on which the script still says something else than the model. */
export async function smallest(play, script, given, presses) {
  const right = part => models[script.kind](given, part);
  const ignored = part => k => given.ignore?.includes(part[k].group) ?? false;
  const fails = async part => {
    if (!part.length) return null;
    const { allowed, fault } = await ask(play, script, given, part);
    const at = fault ? -1 : differs(allowed, right(part), ignored(part));
    return at < 0 ? null : { part: part.slice(0, at + 1), allowed: allowed.slice(0, at + 1) };
  };
  let found = await fails(presses);
  for (let size = found ? Math.ceil(found.part.length / 2) : 0; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < found.part.length; ) {
      const less = await fails([...found.part.slice(0, from), ...found.part.slice(from + size)]);
      if (less) found = less;
      else from += size;
    }
  }
  return found && found.part.map(({ t, cost }, k) => ({ t, cost, got: found.allowed[k], right: right(found.part)[k] }));
}

async function limiterCase(play, script, given) {
  const presses = expand(given.presses);
  const { allowed, fault, lifeMs, strays } = await ask(play, script, given, presses);
  const got = given.presses.map((_, group) => allowed.filter((each, k) => each && presses[k].group === group).length);
  const told = { got, right: given.in };
  if (fault && !given.ignore) return { ...told, isRight: false, error: fault };
  if (fault) return { ...told, isRight: true, note: `It says: ${fault}` }; // it refuses bad input aloud
  const matters = got.every((n, group) => given.ignore?.includes(group) || n === given.in[group]);
  if (!matters) return { ...told, isRight: false, smallest: await smallest(play, script, given, presses) };
  if (given.life_ms && !(lifeMs > 0 && lifeMs <= given.life_ms)) {
    return { ...told, isRight: false, error: `The key ${lifeMs === -1 ? 'has no end' : lifeMs < 0 ? 'is not there' : `lives ${lifeMs.toLocaleString('en')} ms`}; right is above 0 and at most ${given.life_ms.toLocaleString('en')} ms.` };
  }
  return { ...told, isRight: true, strays };
}

async function seckillCase(play, script, given) {
  const keys = fill(script.keys, valuesOf('seckill', given));
  if (!keys.length) throw new Error('Name the keys first, the stock before the others, as in seckill:stock:{2001} seckill:users:{2001}.');
  const [stock] = keys;
  const user = k => `user-${given.times ? 1 : k + 1}`;
  const call = k => ({ isScript: true, words: ['EVALSHA', { script: 'main' }, keys.length, ...keys, ...fill(script.args, valuesOf('seckill', given, { id: user(k) }))] });
  const count = given.times ?? given.buyers;
  const steps = [{ words: ['FLUSHALL'] }];
  if (given.stock !== null) steps.push({ words: ['SET', stock, given.stock] });
  for (let k = 0; k < count; k++) steps.push(call(k));
  if (given.more) steps.push({ words: ['INCRBY', stock, given.more] });
  if (given.more) for (let k = count; k < 2 * count; k++) steps.push(call(k));
  steps.push({ words: ['GET', stock] }, { words: ['KEYS', '*'] });
  const { replies, fault } = await play({ scripts: { main: script.lua }, steps, goOn: true });
  const right = [given.bought, given.left];
  if (fault && fault.step < 0) return { isRight: false, got: [], right, error: fault.message };
  const wrong = replies.find((reply, k) => steps[k].isScript && reply?.error);
  if (wrong) return { isRight: false, got: [], right, error: wrong.error };
  const [, read] = READINGS[script.reading];
  const sold = replies.map((reply, k) => steps[k].isScript && read(firstOf(reply), {}));
  const left = replies.at(-2) === null ? null : Number(replies.at(-2));
  const got = [sold.filter(Boolean).length, left];
  const isRight = got[0] === right[0] && got[1] === right[1];
  return { isRight, got, right, strays: replies.at(-1).filter(key => !keys.includes(key)), firstWrong: isRight ? null : wrongBuyer(sold, steps, given) };
}

/** Which call was one too many: the first that sold although nothing could be sold any more. */
function wrongBuyer(sold, steps, given) {
  let can = given.times ? 1 : (given.stock ?? 0);
  let call = 0;
  for (const [k, step] of steps.entries()) {
    if (step.words[0] === 'INCRBY') can += given.more;
    if (!step.isScript) continue;
    call++;
    if (sold[k] && --can < 0) return call;
  }
  return null;
}

/** Plays every case of the script's kind. `script`: { lua, kind, keys, args, reading }; `told(result)`
 *  hears of each. Returns the results: { id, right text, wrong text, isRight, got, … }. */
export async function check(play, cases, script, told = () => {}) {
  const results = [];
  for (const given of cases[script.kind]) {
    if (given.needs && !words(script.args).includes(given.needs)) continue;
    const answer = await (script.kind === 'seckill' ? seckillCase : limiterCase)(play, script, given);
    results.push({ given, ...answer });
    told(results.at(-1));
  }
  const strays = [...new Set(results.flatMap(result => result.strays ?? []))];
  results.push({
    given: { id: 'strays', right: 'It writes no key that it was not given.', wrong: 'On a cluster a script may touch only the keys that stand in KEYS.' },
    isRight: !strays.length,
    error: strays.length ? `It wrote ${strays.slice(0, 3).join(', ')}.` : undefined,
  });
  told(results.at(-1));
  return results;
}

const MEANT = { limit: 'limit', window_ms: 'window_ms', cost: 'cost', now_ms: 'now_ms', press_id: 'press_id', capacity: 'capacity', refill_count: 'refill_count', refill_period_ms: 'refill_period_ms', user: 'user', sku: 'sku' };

/** What a script's own header says, if it has one like ours: { kind, keys, args, reading } or null. */
export function readHeader(lua) {
  const found = table => [...lua.matchAll(new RegExp(`^-- ${table}\\[\\d+\\] (\\w+)`, 'gm'))].map(([, name]) => name);
  const [keys, args] = [found('KEYS'), found('ARGV')];
  if (!keys.length || !args.every(name => MEANT[name])) return null;
  const kind = args.includes('user') ? 'seckill' : args.includes('capacity') ? 'bucket' : /^-- .*counter/i.test(lua) && keys[0] === 'counts' ? 'counter' : args.includes('now_ms') ? 'log' : 'window';
  return { kind, keys: keys.map(name => `${name}:{2001}`).join(' '), args: args.map(name => `$${name}`).join(' '), reading: 'positive' };
}
