// The containers on a clock that the test moves: days pass at once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework, isFault, MemoryRuns, openStores } from "framework";
import { ManualClock } from "framework/runtime";

import { until } from "../../native-tests/support/patience.js";
import { Collected, clearance, fumigation, Harbour, storage } from "./containers.js";

const DAY_MS = 86_400_000;

async function harbour(ppm: number) {
  const clock = new ManualClock();
  const bills: string[] = [];
  const server = await Framework.http({ resources: [Harbour] })
    .stores({ ...openStores("memory:"), runs: new MemoryRuns({ clock }) }, { everyMs: 20 })
    .post("/fumigations", fumigation, { detached: true })
    .post("/clearances", clearance, { detached: true })
    .post("/stays", storage, { detached: true })
    .runStatus("/runs/:run_id")
    .bind("127.0.0.1:0")
    .run({
      Harbour: { measure: async () => ppm, bill: async (id: string) => void bills.push(id) },
    });
  const kind = async (id: string): Promise<string> => (await server.runs.result(id)).kind;
  const isSo = (id: string, wanted: string) =>
    until(`${id} is ${wanted}`, async () => (await kind(id)) === wanted);
  return { clock, bills, server, isSo };
}

describe("a container", () => {
  for (const [ppm, ends] of [
    [2, "completed"],
    [9, "failed"],
  ] as const)
    test(`with ${ppm} ppm of gas after two days: its clearance has ${ends}`, async () => {
      const { clock, server, isSo } = await harbour(ppm);
      try {
        await server.runs.start(clearance, "MSKU 1", { runId: "one" });
        await isSo("one", "waiting");
        await clock.advance(2 * DAY_MS - 1);
        await isSo("one", "waiting");
        await clock.advance(1);
        await isSo("one", ends);
      } finally {
        await server.close();
      }
    });

  test("that is stored is billed each month, until it is collected", async () => {
    const { clock, bills, server, isSo } = await harbour(2);
    try {
      await server.runs.start(storage, { container: "MSKU 1", month: 1 }, { runId: "stay" });
      for (const month of [1, 2, 3]) {
        await until(`the bill of month ${month}`, () => bills.includes(`stay-${month}`));
        await isSo("stay", "waiting");
        if (month < 3) await clock.advance(30 * DAY_MS);
      }
      const sent = await server.runs.signal("stay", Collected, "Isla");
      assert.equal(isFault(sent) ? "" : sent.kind, "kept");
      await isSo("stay", "completed");

      assert.deepEqual(await server.runs.result("stay"), {
        ...{ kind: "completed", axon: "storage", isOutputKept: true, output: { months: 3, by: "Isla" } },
      });
      assert.equal(bills.length, 3);
    } finally {
      await server.close();
    }
  });
});
