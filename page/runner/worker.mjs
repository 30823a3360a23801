// One worker is one Python and one Redis. It loads nothing but ../engine/, runs cells one after
// another, and is ended from outside, since nothing inside can interrupt an endless loop.

const ENGINE = new URL('../engine/', import.meta.url);
const COURSE = '/home/pyodide';
const say = message => self.postMessage(message);

// ── One clock for Python and Redis: both read these two functions ──
const realMs = performance.now.bind(performance);
const startMs = Date.now() - realMs();
let movedMs = 0;
performance.now = () => realMs() + movedMs;
Date.now = () => Math.floor(startMs + realMs() + movedMs);

// ── Loading, with what is loading said aloud ──
let plan = { bytes: {} }; // run.json: what there is to load, and how large it is
const NAMES = { 'redis.mjs': 'Redis', 'redis.wasm': 'Redis', 'site.zip': 'redis-py', 'course.zip': 'the lesson’s workbench' };
let loaded = 0;
let total = 0;

const plainFetch = self.fetch.bind(self);
self.fetch = async (what, options) => {
  const name = String(what.url ?? what).replace(ENGINE.href, '').replace(/\?.*/, '');
  const answer = await plainFetch(what, options);
  if (!answer.body || !(name in plan.bytes)) return answer;
  const counter = new TransformStream({
    transform(chunk, out) {
      loaded += chunk.length;
      say({ is: 'loading', what: NAMES[name] ?? 'Python', part: Math.min(1, loaded / total) });
      out.enqueue(chunk);
    },
  });
  return new Response(answer.body.pipeThrough(counter), { status: answer.status, headers: answer.headers });
};

async function bytesOf(name) {
  const answer = await fetch(new URL(name, ENGINE));
  if (!answer.ok) throw new Error(`${name} could not be loaded: the site answered ${answer.status}.`);
  return answer.arrayBuffer();
}

/** For packages that few lessons need: fetched at the moment of their first import. */
function archiveNow(name) {
  const request = new XMLHttpRequest();
  request.open('GET', new URL(name, ENGINE), false);
  request.responseType = 'arraybuffer';
  request.send();
  return request.response;
}

let python, runCell, explore;
let queue = Promise.resolve();

async function start() {
  plan = JSON.parse(new TextDecoder().decode(await bytesOf('run.json')));
  total = Object.values(plan.bytes).reduce((sum, bytes) => sum + bytes, 0);
  const [{ Redis, Clock }, { loadPyodide }] = await Promise.all([
    import(new URL('engine.mjs', ENGINE).href),
    import(new URL('pyodide/pyodide.mjs', ENGINE).href),
  ]);
  const archives = plan.archives.map(bytesOf);
  const redis = Redis.start({ clock: new Clock(() => performance.now(), startMs) });
  python = await loadPyodide({ indexURL: new URL('pyodide/', ENGINE).href });
  say({ is: 'loading', what: 'Python is starting', part: 1 });
  for (const archive of archives) python.unpackArchive(await archive, 'zip', { extractDir: COURSE });
  self.rushPage = {
    redis: await redis,
    advance: ms => (movedMs += ms),
    emit: (kind, cell, data) => say({ is: kind, cell, data: JSON.parse(data) }),
    unpack: name => python.unpackArchive(archiveNow(plan.on_import[name]), 'zip', { extractDir: COURSE }),
    onImport: Object.keys(plan.on_import),
  };
  python.runPython(`
import os, sys
sys.path[:0] = ["${COURSE}", "${COURSE}/course/notebooks"]
os.chdir("${COURSE}/course/notebooks")
import imports_page, cells
imports_page.install()
cells.start()
`);
  const cells = python.pyimport('cells');
  runCell = cells.run;
  explore = cells.explore;
  setInterval(() => self.rushPage.redis.tick(), 100); // Redis's own timers while nobody asks it anything
  say({ is: 'ready', redis: plan.redis, python: python.runPython('sys.version.split()[0]'), ms: realMs() });
}

async function run({ cell, code, name = `cell ${cell}` }) {
  say({ is: 'began', cell });
  const began = realMs(), moved = movedMs;
  const ok = await runCell(cell, code, name);
  say({ is: 'done', cell, ok, ms: realMs() - began, movedMs: movedMs - moved });
}

const work = {
  run,
  explore({ id, values, ask }) {
    say({ is: 'explored', ask, html: explore(id, JSON.stringify(values)) });
  },
};

const ready = start();
ready.catch(error => say({ is: 'failed', message: String(error.message ?? error) }));
self.onmessage = ({ data }) => {
  queue = queue.then(() => ready).then(() => work[data.do](data)).catch(error => say({ is: 'broken', ...data, message: String(error.message ?? error) }));
};
