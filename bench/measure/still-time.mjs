// Preloaded into a server whose instructions are counted: under valgrind it runs fifty times
// slower, and what is due each second would be counted with fifty times fewer requests. Time
// goes on by as much at each look at it, whatever the machine does, and nothing comes due by itself.

import { createRequire, syncBuiltinESMExports } from "node:module";

const LOOK_MS = 0.002;
const SHORT_MS = 200;

const threads = createRequire(import.meta.url)("node:worker_threads");
// Where no thread can be had nobody keeps a coarse clock.
threads.Worker = class {
  constructor() {
    throw new Error("no threads while instructions are counted");
  }
};
syncBuiltinESMExports();

// In one place: a variable would be a new object at each look.
const now = new Float64Array([performance.now()]);
const { timeOrigin } = performance;
const look = () => {
  now[0] += LOOK_MS;
  return now[0];
};
performance.now = look;
Date.now = () => Math.floor(timeOrigin + look());

const never = { ref: () => never, unref: () => never, refresh: () => never, hasRef: () => false };
for (const name of ["setInterval", "setTimeout"]) {
  const start = globalThis[name];
  globalThis[name] = (call, ms, ...given) => (ms >= SHORT_MS ? never : start(call, ms, ...given));
}
