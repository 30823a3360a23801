// A schedule sent through a limiter's script on the real Redis, and what it said to every press.

import { literal } from './lua.mjs';
import { curve, worst } from './measures.mjs';
import { pressesOf } from './schedule.mjs';

/** { pressed, times, steps, worst, tookMs }, or { fault } in words: every press with what was asked and
 *  answered, the moments of those let in, their curve and their busiest window. The last press of a moment
 *  also knows what the key holds and how long it lives on. */
export async function verdicts(server, { crowds, settings, windowMs }, { source, call, look, before }) {
  const pressed = pressesOf(crowds);
  const steps = [];
  const keys = new Set();
  const at = t => t * server.slow;
  const isLast = k => pressed[k + 1]?.t !== pressed[k].t;
  for (const [k, press] of pressed.entries()) {
    const { name, argv } = call(settings, press, k, server.slow);
    const key = server.key(name);
    if (!keys.has(key)) for (const words of before?.(settings, key) ?? []) steps.push({ at: at(press.t), words });
    keys.add(key);
    press.step = steps.length;
    press.key = key;
    steps.push({ at: at(press.t), words: ['EVALSHA', { script: 'main' }, 1, key, ...argv] });
    if (isLast(k)) steps.push({ at: at(press.t), words: ['PTTL', key] }, { at: at(press.t), words: look(key) });
  }
  const { shas, replies, fault, tookMs } = await server.alone(() => server.play({ scripts: { main: source }, clear: [...keys], steps }));
  if (fault) return { fault: fault.message };
  for (const [k, press] of pressed.entries()) {
    press.reply = replies[press.step];
    const allowed = [press.reply].flat()[0];
    if (allowed !== 0 && allowed !== 1) return { fault: `The reply must begin with 1, let in, or 0, refused. It was ${literal(press.reply)}.` };
    press.allowed = allowed === 1;
    press.command = steps[press.step].words.map(word => (word.script ? `${shas.main.slice(0, 8)}…` : word.now ? 'now_ms' : word)).join(' ');
    if (!isLast(k)) continue;
    const life = replies[press.step + 1];
    press.lifeMs = life < 0 ? life : Math.round(life / server.slow);
    press.holds = `${look(press.key).join(' ')} → ${literal(replies[press.step + 2])}`;
  }
  const times = pressed.filter(press => press.allowed).map(press => press.t);
  return { fault: null, pressed, times, tookMs, steps: curve(times, windowMs), worst: worst(times, windowMs) };
}
