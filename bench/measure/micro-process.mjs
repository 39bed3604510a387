// The process of one arm: `node micro-process.mjs SUITE ARM check|time|weigh SECONDS`.
// Times many runs a call, so that tinybench's own cost of a call (about 100 ns) is
// spread over them; the figure is the median call's. A collection that falls into
// few calls does not show there: the bytes a run tell what it would cost.

import { pathToFileURL } from "node:url";

import { median } from "./median.mjs";

const WARM_UP_CALLS = 20;
const LOOKS = 10;
const CALLS_A_LOOK = 10;

const [file, name, mode, seconds] = process.argv.slice(2);
const { default: suite } = await import(pathToFileURL(file).href);
const { score, arms, runsPerCall: RUNS_PER_CALL = 10_000 } = suite;
const inputs = suite.inputs();
const run = await arms.find((arm) => arm.name === name).prepare();
const answersLater = run(inputs[0]) instanceof Promise;
// A power of two many: finding the next input must cost nothing.
const last = inputs.length - 1;
if ((inputs.length & last) !== 0) throw new Error(`${inputs.length} inputs are no power of two`);

// Read by nobody, but V8 cannot know.
let total = 0;

function callNow() {
  let sum = 0;
  for (let i = 0; i < RUNS_PER_CALL; i += 1) sum += score(run(inputs[i & last]));
  total += sum;
}

async function callLater() {
  let sum = 0;
  for (let i = 0; i < RUNS_PER_CALL; i += 1) sum += score(await run(inputs[i & last]));
  total += sum;
}

const call = answersLater ? callLater : callNow;

async function check() {
  const scores = [];
  for (const input of inputs) scores.push(score(await run(input)));
  return { scores };
}

async function time() {
  const { Bench } = await import("tinybench");
  const bench = new Bench({ time: seconds * 1000, warmupTime: 300 });
  bench.add(name, call);
  const [{ result }] = await bench.run();
  if (result.state !== "completed") throw result.error ?? new Error(result.state);
  return { ns: (result.latency.p50 * 1e6) / RUNS_PER_CALL };
}

/** Bytes a run over a million runs, collected between looks at the heap and never within. */
async function weigh() {
  for (let i = 0; i < WARM_UP_CALLS; i += 1) await call();
  const looks = [];
  for (let i = 0; i < LOOKS; i += 1) {
    globalThis.gc();
    const first = process.memoryUsage().heapUsed;
    const before = process.memoryUsage().heapUsed;
    for (let j = 0; j < CALLS_A_LOOK; j += 1) await call();
    // A look itself costs what it cost between the first two.
    looks.push(process.memoryUsage().heapUsed - before - (before - first));
  }
  // The median, because V8 still moves code about in the first; a tenth of a byte
  // is what the loop around the runs takes.
  const bytes = median(looks) / (CALLS_A_LOOK * RUNS_PER_CALL);
  return { bytes: Math.round(10 * Math.max(0, bytes)) / 10 };
}

process.stdout.write(JSON.stringify({ ...(await { check, time, weigh }[mode]()), total }));
