import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MergedMetrics } from "#inspector/peers/merged-metrics.js";
import { Peers } from "#inspector/peers/peers.js";
import { MemoryRooms } from "#std/memory-rooms.js";
import { Metrics } from "#telemetry/metrics/metrics.js";

/** A process that has counted so many parcels. */
const counting = (parcels: number): Metrics => {
  const metrics = new Metrics();
  metrics.registry.counter({ name: "app_parcels_total", help: "Parcels that left" }, () => parcels);
  return metrics;
};

describe("merged metrics", () => {
  test("are those of all processes, whichever is asked", async () => {
    const rooms = new MemoryRooms();
    const merged = [3, 4, 5].map(
      (parcels, pid) =>
        new MergedMetrics(counting(parcels), new Peers({ bus: rooms.join(), expected: 2, pid })),
    );

    for (const one of merged) {
      assert.equal((await one.snapshot()).processes, 3);
      assert.match(await one.text(), /^app_parcels_total 12$/m);
      assert.equal(await one.circuit("none"), undefined);
    }
  });

  test("are a process's own where it has no peers", async () => {
    const alone = new MergedMetrics(counting(3), undefined);

    assert.equal((await alone.snapshot()).processes, 1);
    assert.match(await alone.text(), /^app_parcels_total 3$/m);
  });
});
