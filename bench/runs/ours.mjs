// ours.mjs URL CONCURRENCY [each]: kept runs with sync checkpoints; "each": one commit an append.

import { Axon, Bus, openStores, RunId, transition } from "../../dist/index.js";
import { measured } from "./measured.mjs";

const [url, concurrency, how] = process.argv.slice(2);
const stores = openStores(url);

let last = Promise.resolve();
/** Waits for the append before it, so that no commit holds two. */
const appendEach = (...args) => {
  const appended = last.then(() => stores.runs.append(...args));
  last = appended.catch(() => {});
  return appended;
};
const runs = how === "each" ? { ...stores.runs, append: appendEach } : stores.runs;

const line = ["a", "b", "c"].reduce(
  (axon, name) => axon.then(transition({ name, run: (input) => ({ ...input, [name]: input.n + 1 }) })),
  Axon.start("kept").withPersistenceStore(runs),
);
const text = "x".repeat(100);
const began = Date.now();

await measured(
  Number(concurrency),
  (n) => line.execute({ n, text }, Bus.of([[RunId, `${began}-${process.pid}-${n}`]])),
  ({ n, c }) => c === n + 1,
);
await stores.close();
