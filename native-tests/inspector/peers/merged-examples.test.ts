import assert from "node:assert/strict";
import { test } from "node:test";

import { MergedExamples } from "#inspector/peers/merged-examples.js";
import { Peers } from "#inspector/peers/peers.js";
import type { TraceStore } from "#inspector/traces/trace-store.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";

/** Of one process, which keeps a run of that name. */
const storeOf = (run_id: string): TraceStore =>
  ({ query: () => ({ traces: [{ run_id, started_at: 1, duration_us: 1 }] }) }) as never;

test("example runs are those of whoever answers with some, whatever another one answers", async () => {
  for (const bad of ["text", {}, [null], [[null]], [[{}]]]) {
    const rooms = new MemoryRooms();
    const clock = new ManualClock();
    const [one, two, three] = [1, 2, 3].map(
      (pid) => new Peers({ bus: rooms.join(), expected: 2, clock, pid }),
    ) as [Peers, Peers, Peers];
    const merged = new MergedExamples(storeOf("own"), one);
    new MergedExamples(storeOf("other"), two);
    three.answers("example runs", () => bad);

    assert.deepEqual([...(await merged.of(["c"]))], [["c", ["own", "other"]]]);
  }
});
