import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryRuns } from "framework";
import { plainCodec } from "#core/ports/codec.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { RunListOptions } from "#runtime/hosting/runs-by-hand.js";
import { hashedSubject } from "#runtime/run/subject.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { adding, beginning, hosts } from "../../support/hosts.js";
import { sqliteDatabases } from "../../support/sql-stores.js";

const openSqlite = sqliteDatabases();
const stores = [
  { name: "of memory", opened: async (): Promise<RunStore> => new MemoryRuns() },
  { name: "of SQLite", opened: async (): Promise<RunStore> => new SqlRuns(await openSqlite(), plainCodec) },
];

const position = { node: "sums/add", input: 1, bus: {}, jumps: 0 };

/** A run in each of six states, which began one after the other, and one of an Axon that is not mounted. */
async function listed(store: RunStore) {
  const { served } = hosts();
  const begin = (id: string, at: number, more: object = {}, axon = "sums") =>
    store.append(id, 0, [{ ...beginning(axon), at, ...more } as ReturnType<typeof beginning>]);
  await begin("completed", 100, { labels: { order: "7" } });
  await store.append("completed", 1, [{ kind: "ended", at: 150, output: 1 }]);
  await begin("failed", 200, { subject: hashedSubject("ann") });
  await store.append("failed", 1, [{ kind: "ended", at: 250, error: "no" }]);
  await begin("waiting", 300, {}, "totals");
  await store.append("waiting", 1, [
    { kind: "waiting", at: 350, completed: [], signals: ["approved"], due: 4e12, ...position },
  ]);
  await begin("sleeping", 400);
  await store.append("sleeping", 1, [{ kind: "waiting", at: 450, completed: [], due: 4e12, ...position }]);
  await begin("stuck", 500);
  await store.append("stuck", 1, [{ kind: "stuck", at: 550 }]);
  await begin("unfit", 600);
  await begin("elsewhere", 700, {}, "unmounted");
  const { handle, host } = await served([adding(store, []), adding(store, [], "totals")]);
  await store.markUnfit?.("unfit", 1, { release: host.release, reason: "no such node" });
  const ids = async (options?: RunListOptions) => (await handle.list(options)).runs.map(({ runId }) => runId);
  return { handle, ids };
}

for (const { name, opened } of stores)
  describe(`The runs ${name} that a program lists`, () => {
    test("are those of mounted Axons in every state, the newest first", async () => {
      const { handle } = await listed(await opened());

      const { runs, cursor } = await handle.list();
      assert.deepEqual(
        runs.map(({ runId, state }) => [runId, state]),
        ["unfit", "stuck", "sleeping", "waiting", "failed", "completed"].map((state) => [state, state]),
      );
      assert.equal(cursor, undefined);
      const { runId: _, endedAt, ...completed } = runs[5] as (typeof runs)[number];
      assert.equal(typeof endedAt, "number");
      assert.deepEqual(
        { ...completed, lastAt: 0 },
        {
          ...{
            axon: "sums",
            version: "1.0.0",
            state: "completed",
            beganAt: 100,
            lastAt: 0,
            node: "sums/add",
          },
          labels: { order: "7" },
        },
      );
      assert.deepEqual([runs[3]?.signals, runs[3]?.until], [["approved"], 4e12]);
      assert.deepEqual([runs[2]?.signals, runs[2]?.until], [undefined, 4e12]);
      assert.equal(runs[0]?.reason, "no such node");
    });

    test("are chosen by Axon, state, person, label and beginning", async () => {
      const { ids } = await listed(await opened());

      assert.deepEqual(await ids({ axon: "totals" }), ["waiting"]);
      assert.deepEqual(await ids({ state: "sleeping" }), ["sleeping"]);
      assert.deepEqual(await ids({ subject: "ann" }), ["failed"]);
      assert.deepEqual(await ids({ label: "order:7" }), ["completed"]);
      assert.deepEqual(await ids({ label: "order:8" }), []);
      assert.deepEqual(await ids({ since: new Date(200), until: 400 }), ["waiting", "failed"]);
    });

    test("come in pages", async () => {
      const { handle } = await listed(await opened());
      const first = await handle.list({ limit: 4 });
      const second = await handle.list({ limit: 4, ...(first.cursor && { cursor: first.cursor }) });

      assert.deepEqual(
        [first, second].map(({ runs }) => runs.map(({ runId }) => runId)),
        [
          ["unfit", "stuck", "sleeping", "waiting"],
          ["failed", "completed"],
        ],
      );
      assert.equal(second.cursor, undefined);
    });
  });

describe("A list of runs", () => {
  test("is refused where its options are wrong, with the remedy", async () => {
    const { handle } = await listed(new MemoryRuns());
    const refused = (options: object, message: RegExp) =>
      assert.rejects(handle.list(options), { code: "CONFIG_INVALID", message });

    await refused({ axons: ["sums"] }, /'axons' is no option/);
    await refused({ axon: "unmounted" }, /Axon 'unmounted' keeps no runs here/);
    await refused({ state: "asleep" }, /state must be one of running, waiting/);
    await refused({ subject: "" }, /subject must be a text/);
    await refused({ label: "order" }, /label must be a name and a value/);
    await refused({ since: "yesterday" }, /since must be a date/);
    await refused({ limit: 1001 }, /limit must be a whole number from 1 to 1000/);
    await refused({ cursor: "nonsense" }, /cursor must be that of a page/);
  });

  test("is refused by a store that cannot list, or finds none by a label", async () => {
    const unlisted = { ...new MemoryRuns(), list: undefined } as never as RunStore;
    const unlabelled = { ...new MemoryRuns(), findsLabels: undefined } as never as RunStore;

    await assert.rejects((await listed(unlisted)).handle.list(), {
      code: "CONFIG_INVALID",
      message: /the store of the runs has no list/,
    });
    await assert.rejects((await listed(unlabelled)).handle.list({ label: "order:7" }), {
      code: "CONFIG_INVALID",
      message: /finds none by a label/,
    });
  });
});
