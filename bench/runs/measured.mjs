// A process that runs a line of three steps, so many at once, for as long as it is told: a line
// with seconds on stdin, an answer as JSON on stdout.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";

const WARM_UPS = 30;

/** `run(n)` resolves to the outcome of the nth run; `isRight` says whether it is one. */
export async function measured(concurrency, run, isRight) {
  let n = 0;
  const once = async () => {
    n += 1;
    const outcome = await run(n);
    if (!isRight(outcome)) throw new Error(`A run came to ${JSON.stringify(outcome)}`);
  };
  for (let i = 0; i < WARM_UPS; i += 1) await once();
  process.stdout.write("ready\n");
  for await (const line of createInterface({ input: process.stdin })) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const endsAt = began + Number(line) * 1000;
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
    const answer = { figure: runs / seconds, loopP99Ms: delay.percentile(99) / 1e6 };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}
