// burst.mjs URL: three steps of runs that are due at once, and a new run now and then; or, behind
// "alone", of new runs alone.

import { Axon } from "../../dist/index.js";
import { answering, percentile } from "./answering.mjs";
import { begun, hosted, idsOf } from "./hosted.mjs";

const [url, how] = process.argv.slice(2);
/** Runs due at once for each second that is asked for: 10 000 in a round of 2 s. */
const A_SECOND = 5000;
const AT_ONCE = 50;
const NEW_EVERY_MS = 20;

const steps = (axon) =>
  ["a", "b", "c"].reduce(
    (line, name) => line.thenFn(name, (input) => ({ ...input, [name]: input.n + 1 })),
    axon,
  );
const both = (runs) => [
  steps(Axon.start("new").withPersistenceStore(runs)),
  steps(
    Axon.start("slept")
      .withPersistenceStore(runs)
      .sleep("until", ({ due }) => new Date(due)),
  ),
];
const server = await hosted(url, both);
const [fresh, slept] = server.axons;
const idOf = idsOf("burst");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let n = 0;

const requireRight = ({ output }, of) => {
  if (output?.c !== of + 1) throw new Error(`A run ended with ${JSON.stringify(output)}`);
};
/** Begins a run; resolves to what waits for its end. */
async function begin(axon, more) {
  n += 1;
  const of = n;
  const end = server.ended(idOf(of));
  await begun(server.runs, axon, { n: of, ...more }, idOf(of));
  return async () => requireRight(await end, of);
}
async function inTurns(count, once) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await once();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
const newRun = async () => (await begin(fresh, {}))();

async function alone(count) {
  const began = performance.now();
  await inTurns(count, newRun);
  return { figure: (count / (performance.now() - began)) * 1000, newP99Ms: 0 };
}

async function burst(count) {
  // Twice the time that their beginning takes.
  const { figure } = await alone(Math.ceil(count / 20));
  const due = Date.now() + 1000 + (2000 * count) / figure;
  const ends = [];
  await inTurns(count, async () => void ends.push((await begin(slept, { due }))()));
  if (Date.now() >= due) throw new Error("The runs were due before all of them had begun");
  await pause(due - Date.now());
  const began = performance.now();
  const meanwhile = [];
  let isOver = false;
  const beside = (async () => {
    while (!isOver) {
      const at = performance.now();
      await newRun();
      meanwhile.push(performance.now() - at);
      await pause(NEW_EVERY_MS);
    }
  })();
  await Promise.all(ends);
  const seconds = (performance.now() - began) / 1000;
  isOver = true;
  await beside;
  meanwhile.sort((a, b) => a - b);
  return { figure: count / seconds, newP99Ms: percentile(meanwhile, 0.99) };
}

await alone(500);
await answering((seconds) => (how === "alone" ? alone : burst)(Math.ceil(A_SECOND * seconds)));
await server.close();
