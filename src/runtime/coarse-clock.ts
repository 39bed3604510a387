// A clock that is one load to read, where performance.now() takes 43 ns: a thread of
// its own writes the time into shared memory. It tells whether a step held the event
// loop, and nothing finer. Started by the first circuit whose runs are counted.

/** How often it ticks. */
const TICK_MS = 10;

const TICKER = `
const { workerData } = require("node:worker_threads");
const time = new Int32Array(workerData);
const never = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  Atomics.store(time, 0, performance.now());
  Atomics.wait(never, 0, 0, ${TICK_MS});
}`;

/** Milliseconds, in its first element. */
export type CoarseClock = { readonly 0: number };

let time: Int32Array | undefined;

export function coarseClock(): CoarseClock {
  if (time === undefined) {
    const shared = new SharedArrayBuffer(4);
    time = new Int32Array(shared);
    startTicker(shared);
  }
  return time as unknown as CoarseClock;
}

/** Where no thread can be had the clock stands still, and nothing is reported. */
function startTicker(shared: SharedArrayBuffer): void {
  try {
    // Nothing of the program's own loaders: they would run in the thread too.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const ticker = new Worker(TICKER, { eval: true, workerData: shared, execArgv: [], env: {} });
    ticker.on("error", () => {}).unref();
  } catch {
    // Node's permission model refuses it here, not in an event.
  }
}
