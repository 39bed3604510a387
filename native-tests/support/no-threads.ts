// Reads the coarse clock where threads are refused as Node's permission model does it:
// by a throw of the constructor. tsx itself cannot run under that model.

import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

threads.Worker = class {
  constructor() {
    throw new Error("Access to this API has been restricted");
  }
} as never;
syncBuiltinESMExports();
const { coarseClock } = await import("#runtime/run/counters.js");

const clock = coarseClock();
console.log(clock[0], coarseClock() === clock);
