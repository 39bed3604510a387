import assert from "node:assert/strict";
import { test } from "node:test";

import { Axon, busKey } from "framework";
import { heapAfterCollection } from "../../support/heap.js";
import { tracedApp } from "../../support/traced-app.js";

/** Finalizers of the first collection free what the second one takes. */
const heap = async (): Promise<number> => {
  heapAfterCollection();
  await new Promise(setImmediate);
  return heapAfterCollection();
};

const Count = busKey<number>()("Count");

const steps = (names: readonly string[]) =>
  names.reduce(
    (axon, name) =>
      axon.thenFn(
        name,
        (given: unknown, bus) => {
          bus.set(Count, 1);
          return given ?? { text: "ü".repeat(20), list: [1, 2, 3], more: { deep: true } };
        },
        { writes: [Count] },
      ) as never,
    Axon.start<unknown>("steps"),
  );

/** What a test before has made must not be given back while the next one measures. */
const held: unknown[] = [];

for (const mode of ["off", "hash", "full"] as const)
  test(`a trace of ten nodes takes no more memory than it is counted for, capture ${mode}`, async () => {
    const axon = steps(Array.from({ length: 10 }, (_, at) => `step-${at}`));
    const { app, store } = tracedApp((ingress) => ingress.get("/", axon), mode, { maxTraces: 100_000 });
    held.push(app, store);
    for (let run = 0; run < 300; run += 1) await app.get("/");
    const [before, counted] = [await heap(), store.bytes];

    for (let run = 0; run < 1000; run += 1) await app.get("/");
    const taken = ((await heap()) - before) / 1000;
    const estimated = (store.bytes - counted) / 1000;

    assert.equal(store.size, 1300);
    assert.ok(taken <= estimated, `${taken} bytes taken, ${estimated} counted`);
    assert.ok(estimated <= 4 * taken, `${taken} bytes taken, ${estimated} counted`);
  });
