// The thread in which the page's Redis lives. First message: { engine: address }; then jobs, see play.mjs.
import { Player } from './play.mjs';

let player;

self.onmessage = async ({ data }) => {
  const beganMs = performance.now();
  const took = () => performance.now() - beganMs;
  try {
    if (data.engine) {
      player = await Player.start(await import(new URL('engine.mjs', data.engine).href));
      self.postMessage({ version: player.version, tookMs: took() });
    } else {
      self.postMessage({ ...player.play(data), tookMs: took() });
    }
  } catch (error) {
    self.postMessage({ broken: error.message });
  }
};
