// The round trip of an offloaded step. What it does to the other requests of its server: offload-neighbours.mjs.

import { microSuite } from "../measure/micro.mjs";

const subject = new URL("../subjects/offloaded.mjs", import.meta.url);
const THREADS = 1;

const piscinaOptions = {
  minThreads: THREADS,
  maxThreads: THREADS,
  concurrentTasksPerWorker: 1,
  atomics: "async",
};

export default microSuite(import.meta.url, {
  name: "offload",
  title: "A step in a thread",
  measures:
    "the round trip of a number to a thread and back, one after another: piscina with an abort signal and the entry that tags results, against an offloaded step of an Axon.",
  leavesOut: "large inputs, several jobs at once, work.",
  runsPerCall: 500,
  inputs: () => Array.from({ length: 16 }, (_, n) => n),
  score: (doubled) => doubled,
  arms: [
    {
      name: "piscina",
      async prepare() {
        const { Piscina } = await import("piscina");
        const entry = new URL("../../dist/pool/entry.js", import.meta.url).href;
        const pool = new Piscina({ ...piscinaOptions, filename: entry, name: "run" });
        return async (input) => {
          const { signal } = new AbortController();
          const begun = new SharedArrayBuffer(8);
          const task = { module: subject.href, name: "double", input, read: undefined, moves: false, begun };
          return (await pool.run(task, { signal }))[1];
        };
      },
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { Axon, workerModule, workerTransition } = await import("../../dist/index.js");
        const module = workerModule(subject);
        const axon = Axon.start("double").offload(
          workerTransition({ name: "double", module, export: "double" }),
        );
        return (n) => axon.execute(n);
      },
    },
  ],
  bars: [{ arm: "ours", atMost: 1.2, aim: 1.1 }],
});
