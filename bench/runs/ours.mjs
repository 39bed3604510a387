// ours.mjs URL CONCURRENCY [each | encrypted]: kept runs with sync checkpoints; "each": one commit an append.

import { EncryptionHook } from "../../dist/compliance/index.js";
import { Axon, Bus, openStores, RunId, transition } from "../../dist/index.js";
import { measured } from "./measured.mjs";

const [url, concurrency, how] = process.argv.slice(2);
const keys = () => ({ current: "1", keys: { 1: new Uint8Array(32) } });
const stores = openStores(url, how === "encrypted" ? { codec: new EncryptionHook({ keys }) } : {});

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
