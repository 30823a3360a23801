// The thread in which the page's Redis lives; its address says where the engine is: ?engine=…
// First it tells { version, tookMs }, then it answers jobs, see play.mjs.

const beganMs = performance.now();
const engine = new URL(self.location).searchParams.get('engine');

async function answering(work) {
  const fromMs = performance.now();
  try {
    self.postMessage({ ...(await work()), tookMs: performance.now() - fromMs });
  } catch (error) {
    self.postMessage({ broken: error.message });
  }
}

const starting = Promise.all([import('./play.mjs'), import(new URL('engine.mjs', engine).href)]).then(([{ Player }, module]) => Player.start(module));

answering(async () => ({ version: (await starting).version, upMs: performance.now() - beganMs }));

self.onmessage = ({ data }) => answering(async () => (await starting).play(data));
