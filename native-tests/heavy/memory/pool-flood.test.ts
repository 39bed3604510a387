import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, isFault, workerModule, workerTransition } from "framework";

import { closePool, joinPool } from "#pool/process-pool.js";
import { heapAfterCollection } from "../../support/heap.js";

const module = workerModule<typeof import("../../support/pool-work.js")>(
  new URL("../../support/pool-work.js", import.meta.url),
);
const JOBS = 10_000;
const QUEUE = 256;

test("10 000 jobs at once are done or refused, again and again, and leave no memory behind", async () => {
  joinPool({ threads: 1, queue: QUEUE, idleTimeoutMs: 60_000, memoryLimitMb: 512, warm: true }, 1);
  const axon = Axon.start<number>("spin").offload(workerTransition({ name: "spin", module, export: "spin" }));
  // A function of its own: outcomes of a loop can be reachable still when its memory is measured.
  const flood = async (): Promise<void> => {
    const outcomes = await Promise.all(Array.from({ length: JOBS }, () => axon.execute(0)));
    assert.equal(outcomes.filter(isFault).length, JOBS - QUEUE - 1);
  };
  const heaps: number[] = [];
  for (let floods = 0; floods < 6; floods += 1) {
    await flood();
    await new Promise(setImmediate);
    heaps.push(heapAfterCollection());
  }

  // What the first floods compile and load stays.
  const [, , settled = 0] = heaps;
  const grown = (heaps.at(-1) as number) - settled;
  assert.ok(grown < JOBS * 20, `${grown} bytes in three floods`);
  await closePool();
});
