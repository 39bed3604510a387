// waiting.mjs URL CONCURRENCY: runs that sleep for 10 ms and wait for a signal, which is sent at once.

import { Axon, signal, Type } from "../../dist/index.js";
import { begun, hosted, idsOf } from "./hosted.mjs";
import { measured } from "./measured.mjs";

const [url, concurrency] = process.argv.slice(2);
const Go = signal()("go", Type.Object({ n: Type.Integer() }));
const waits = (runs) => [
  Axon.start("waits")
    .withPersistenceStore(runs)
    .sleep("pause", 10)
    .waitFor(Go, { timeoutMs: 60_000, take: ({ n }, { n: got }) => ({ n, got }) })
    .thenFn("last", ({ n, got }) => ({ n, got: got + 1 })),
];
const server = await hosted(url, waits);
const [axon] = server.axons;
const idOf = idsOf("waits");

await measured(
  Number(concurrency),
  async (n) => {
    const id = idOf(n);
    const end = server.ended(id);
    await begun(server.runs, axon, { n }, id);
    const { kind } = await server.runs.signal(id, Go, { n });
    if (kind !== "kept") throw new Error(`The signal of ${id}: ${kind}`);
    return (await end).output;
  },
  ({ n, got }, asked) => n === asked && got === n + 1,
);
await server.close();
