import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, MemoryRuns } from "framework";
import type { KeptAxon } from "#runtime/hosting/abandoned-runs.js";
import { DueRuns } from "#runtime/hosting/due-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";

describe("the look for due runs", () => {
  test("is not repeated at once for a full page of runs that are left here", async () => {
    const clock = new ManualClock();
    const runs = new MemoryRuns({ clock });
    let looks = 0;
    const due = () => {
      looks += 1;
      return Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, axon: "nap", entries: 2, dueInMs: -1 }));
    };
    const store = Object.assign(Object.create(runs), runs, { waits: { ...runs.waits, due } });
    const { definition } = Axon.start<number>("nap").withPersistenceStore(store).sleep("pause", 1);
    const woken: string[] = [];
    const look = new DueRuns({
      ...{ axons: [definition as KeptAxon], stores: [store], clock, random: () => 1, everyMs: 500 },
      ...{ release: () => "one", room: () => 10, remembered: () => 500, isLeft: () => true },
      ...{ wake: ({ id }) => void woken.push(id), looked: (error) => assert.equal(error, undefined) },
    });
    look.begin();
    await clock.advance(2000);
    await look.end();

    assert.deepEqual([looks, woken], [5, []]);
  });
});
