// A process that runs a line of three steps, so many at once, for as long as it is told.

import { monitorEventLoopDelay } from "node:perf_hooks";

import { answering } from "./answering.mjs";

const WARM_UPS = 30;

/** `run(n)` resolves to the outcome of the nth run; `isRight` says whether it is that. `more` adds to each answer. */
export async function measured(concurrency, run, isRight, more = () => ({})) {
  let n = 0;
  const once = async () => {
    n += 1;
    const of = n;
    const outcome = await run(of);
    if (!isRight(outcome, of)) throw new Error(`A run came to ${JSON.stringify(outcome)}`);
  };
  for (let i = 0; i < WARM_UPS; i += 1) await once();
  await answering(async (asked) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const endsAt = began + asked * 1000;
    let runs = 0;
    const worker = async () => {
      while (performance.now() < endsAt) {
        await once();
        runs += 1;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    const seconds = (performance.now() - began) / 1000;
    delay.disable();
    return { figure: runs / seconds, loopP99Ms: delay.percentile(99) / 1e6, ...more() };
  });
}
