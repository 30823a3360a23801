// Day 9: the line between two machines is cut, and both sell what they have. One Redis plays both: the
// keys with {2001} are the old primary's, those with {2001-copy} the promoted one's.

const NAMES = ['seckill:stock', 'seckill:users', 'seckill:orders'];
const OLD = NAMES.map(name => `${name}:{2001}`);
const NEW = NAMES.map(name => `${name}:{2001-copy}`);
const TABLE = ['remaining:{2001}', 'rows:{2001}', 'letters:{2001}'];
const STOCK = 100;
const CROWD = 120; // people at each machine after the cut: more than can be left

// Stands for the database: what the consumer's transaction does with one order.
const LINES = `
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 0 end   -- INSERT … ON CONFLICT DO NOTHING
if ARGV[2] == 'last' then                                             -- UPDATE items SET remaining = remaining - 1
  if tonumber(redis.call('GET', KEYS[1])) <= 0 then                   --  WHERE sku = '2001' AND remaining > 0
    redis.call('SADD', KEYS[3], ARGV[1])                              -- no row was changed: roll back, dead letter
    return -1
  end
  redis.call('DECR', KEYS[1])
end
redis.call('SADD', KEYS[2], ARGV[1])
return 1`;

/** What `words` asked and what came, for the eye: "SCARD rows:{2001} → 100". */
const heard = ([words, reply]) => `${words.join(' ')} → ${reply}`;

/** Plays the night once. `play(job)` → { replies, tookMs }, and throws what a script did wrong. */
async function tell(play, key, source, { cut, heard: known, guard }) {
  const [old, copy, table] = [OLD, NEW, TABLE].map(names => names.map(key));
  const buy = (keys, who, n, from = 0) => Array.from({ length: n }, (_, k) => ['EVALSHA', { script: 'main' }, 3, ...keys, `${who}-${from + k + 1}`, '2001']);
  const copies = old.map((name, k) => ['COPY', name, copy[k]]);
  const counts = keys => [['GET', keys[0]], ['SCARD', keys[1]], ['XLEN', keys[2]]];
  const steps = [
    ['SET', old[0], STOCK],
    ...buy(old, 'early', known),
    ...copies,
    ...counts(copy),
    ...buy(old, 'early', cut - known, known),
    ...counts(old),
    ...buy(old, 'old', CROWD),
    ...buy(copy, 'new', CROWD),
    ...counts(old),
    ...counts(copy),
    ['XRANGE', old[2], '-', '+'],
    ['XRANGE', copy[2], '-', '+'],
  ];
  const sold = await play({ fresh: true, scripts: { main: source, lines: LINES }, clear: [...old, ...copy, ...table], steps: steps.map(words => ({ words })) });
  const at = words => sold.replies[steps.indexOf(words)];
  const looks = k => sold.replies.slice(k, k + 3).map(Number);
  const atCut = steps.findIndex(words => words[0] === 'GET');
  const [queueOld, queueNew] = sold.replies.slice(-2);
  const people = [...queueOld, ...queueNew].map(([, fields]) => fields[fields.indexOf('user') + 1]);
  const asked = [['GET', table[0]], ['SCARD', table[1]], ['SCARD', table[2]]];
  const written = await play({
    fresh: false,
    scripts: { lines: LINES },
    steps: [['SET', table[0], STOCK], ...people.map(user => ['EVALSHA', { script: 'lines' }, 3, ...table, user, guard]), ...asked].map(words => ({ words })),
  });
  const [remaining, rows, letters] = written.replies.slice(-3).map(Number);
  const before = looks(atCut + 3 + (cut - known));
  const [oldNow, newNow] = [looks(steps.length - 8), looks(steps.length - 5)];
  const told = [...steps.slice(-8, -2).filter(([name]) => name !== 'XLEN'), ...asked.slice(guard === 'last' ? 0 : 1)];
  return {
    stock: STOCK,
    cut: before[2],
    known: looks(atCut)[2],
    old: { sold: oldNow[2], left: oldNow[0] },
    copy: { sold: newNow[2], left: newNow[0] },
    there: oldNow[2] - before[2],
    here: newNow[2] - looks(atCut)[2],
    remaining,
    rows,
    letters,
    copies: copies.map(words => heard([words, at(words)])),
    counted: told.map(words => heard([words, asked.includes(words) ? written.replies[written.replies.length - 3 + asked.indexOf(words)] : at(words)])),
    commands: sold.replies.length + written.replies.length,
    tookMs: sold.tookMs + written.tookMs,
  };
}

export const day9 = {
  script: 'seckill_enqueue',
  heart: 'XADD goes first',
  settings: { cut: 40, heard: 40, guard: 'unique' },
  sliders: [
    { name: 'cut', label: 'cut after', min: 0, max: 100, step: 1, show: n => `${n} sold` },
    { name: 'heard', label: 'the other heard', min: 0, max: 100, step: 1, show: String },
  ],
  choices: [{ name: 'guard', label: 'the database has', options: [['unique', 'a unique key'], ['last', 'and … AND remaining > 0']] }],
  tell,
};
