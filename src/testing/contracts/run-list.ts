// Contract of run stores that list runs which have ended, too.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunChoice, RunListFilter } from "#core/ports/run-list.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { begun, checkpoint, ended, listedAs, resumed, stuck } from "./run-entries.js";

interface Opened {
  readonly store: RunStore;
}

const failed = (error: unknown): RunEntry => ({ ...ended, output: undefined, error }) as RunEntry;
const cancelled = failed({
  $: ["fault", { code: "RUN_CANCELLED", runId: "a", reason: "left" }],
});
const waiting = (signals?: readonly string[]): RunEntry => ({
  ...{ kind: "waiting", at: 3, completed: [], node: "orders/w", input: 1, bus: {}, jumps: 0, due: 9e12 },
  ...(signals && { signals }),
});
const LABELS = { region: "eu" };
const SUBJECT = "s".repeat(43);
/** The runs of the tests, by their ids: an Axon, and what follows "begun". */
const RUNS: Readonly<Record<string, readonly [axon: string, ...entries: RunEntry[]]>> = {
  running: ["orders", checkpoint(1)],
  waiting: ["orders", waiting(["ok"])],
  sleeping: ["stock", waiting()],
  stuck: ["orders", stuck],
  unfit: ["orders", checkpoint(1)],
  completed: ["orders", ended],
  failed: ["stock", failed("late")],
  cancelled: ["orders", resumed(), { kind: "failed", at: 8, error: "x", completed: [] }, cancelled],
};
const IDS = Object.keys(RUNS).reverse();

export function runListContract(name: string, open: () => Promise<Opened> | Opened): void {
  /** Lists of a store with the runs above, which began one after another. */
  const filled = async (): Promise<[RunStore, NonNullable<RunStore["list"]>] | undefined> => {
    const { store } = await open();
    if (store.list === undefined) return undefined;
    for (const [n, [id, [axon, ...entries]]] of Object.entries(RUNS).entries()) {
      const more = id === "waiting" || id === "completed" ? { labels: LABELS, subject: SUBJECT } : {};
      await store.append(id, 0, [begun({ ...more, axon, at: 100 + n } as Partial<RunEntry>)], "one");
      await store.append(id, 1, entries, "one");
    }
    await store.markUnfit?.("unfit", 2, { release: "one", reason: "no node" });
    return [store, store.list];
  };

  describe(`lists of runs in ${name}`, () => {
    test("have runs in every state, the newest first", async () => {
      const [store, list] = (await filled()) ?? [];
      if (list === undefined || store?.markUnfit === undefined) return;
      const listed = await list({ limit: 100 });

      assert.deepEqual(
        listed.map(({ id, state }) => [id, state]),
        IDS.map((id) => [id, id]),
      );
      for (const [n, run] of listed.entries()) {
        const hasEnded = n < 3;
        assert.equal(run.ended_at !== undefined, hasEnded, run.id);
        assert.equal(run.began_at, 100 + IDS.length - 1 - n);
      }
      const { place, node, at, ended_at, ...completed } = listed[2] as NonNullable<(typeof listed)[number]>;
      const { at: _, ...expected } = listedAs("completed", {
        began_at: 105,
        entries: 2,
        host: "one",
        labels: LABELS,
      });
      assert.deepEqual(completed, { ...expected, state: "completed" });
      assert.deepEqual(listed[6]?.wait, { signals: ["ok"], due: 9e12 });
    });

    test("are filtered by state, Axon, subject, label and beginning, and by several of them", async () => {
      const [store, list] = (await filled()) ?? [];
      if (list === undefined || store?.markUnfit === undefined) return;
      const ids = async (filter: Partial<RunListFilter>) =>
        (await list({ limit: 100, ...filter })).map(({ id }) => id);
      for (const state of IDS as RunListFilter["states"] & string[])
        assert.deepEqual(await ids({ states: [state] }), [state]);
      const some = ["failed", "sleeping", "running"] as const;

      assert.deepEqual(await ids({ states: some }), some);
      assert.deepEqual(await ids({ states: [] }), []);
      assert.deepEqual(await ids({ axons: ["stock"] }), ["failed", "sleeping"]);
      assert.deepEqual(await ids({ axons: ["stock", "orders"] }), IDS);
      assert.deepEqual(await ids({ axons: [] }), []);
      assert.deepEqual(await ids({ axons: ["stock"], states: ["failed", "running"] }), ["failed"]);
      assert.deepEqual(await ids({ subject: SUBJECT }), ["completed", "waiting"]);
      assert.deepEqual(await ids({ subject: "t".repeat(43) }), []);
      const label = { name: "region", value: "eu" };
      assert.deepEqual(await ids({ label }), ["completed", "waiting"]);
      assert.deepEqual(await ids({ label: { name: "region", value: "us" } }), []);
      assert.deepEqual(await ids({ label, states: ["waiting", "failed"] }), ["waiting"]);
      assert.deepEqual(await ids({ subject: SUBJECT, states: ["completed"], axons: ["orders"] }), [
        "completed",
      ]);
      assert.deepEqual(await ids({ subject: SUBJECT, axons: ["stock"] }), []);
      assert.deepEqual(await ids({ since: 103, until: 105 }), ["unfit", "stuck"]);
      assert.deepEqual(await ids({ release: "two", states: ["unfit"] }), []);
      assert.deepEqual(await ids({ release: "two", states: ["running"] }), ["unfit", "running"]);
    });

    test("come in pages by their place", async () => {
      const [, list] = (await filled()) ?? [];
      if (list === undefined) return;
      const pages: string[] = [];
      let after: string | undefined;
      for (let page = 0; page < 4; page += 1) {
        const runs = await list({ limit: 3, ...(after !== undefined && { after }) });
        pages.push(runs.map(({ id }) => id).join());
        after = runs.at(-1)?.place ?? after;
      }

      assert.deepEqual(pages, [IDS.slice(0, 3).join(), IDS.slice(3, 6).join(), IDS.slice(6).join(), ""]);
    });

    test("have a run as unfinished again that fails after it has ended", async () => {
      const [store, list] = (await filled()) ?? [];
      if (list === undefined) return;
      await store?.append("completed", 2, [{ kind: "failed", at: 10, error: "late", completed: [] }], "one");

      const [found] = await list({ subject: SUBJECT, limit: 1 });
      assert.deepEqual([found?.state, found?.ended_at], ["running", undefined]);
      assert.deepEqual(await list({ states: ["completed"], limit: 9 }), []);
    });

    test("may be of Axons and outcomes that are forgotten, and of others that are not", async () => {
      const [store, list] = (await filled()) ?? [];
      if (store === undefined || list === undefined) return;
      const left = async () =>
        (await list({ states: ["completed", "failed", "cancelled"], limit: 9 })).map(({ id }) => id);
      const forget = (which: RunChoice) => store.forget(Date.now() + 1e12, 9, undefined, which);
      assert.equal(await forget({ axons: ["other"] }), 0);
      assert.equal(await forget({ not: ["orders", "stock"] }), 0);
      assert.equal(await forget({ axons: ["orders"], outcome: "failed" }), 0);
      assert.equal(await forget({ axons: ["stock"], outcome: "completed" }), 0);
      assert.deepEqual(await left(), ["cancelled", "failed", "completed"]);

      assert.equal(await forget({ not: ["orders"], outcome: "failed" }), 1);
      assert.deepEqual(await left(), ["cancelled", "completed"]);
      assert.equal(await forget({ axons: ["orders", "stock"], outcome: "completed" }), 2);
      assert.equal((await list({ limit: 9 })).length, 5, "unfinished ones stay");
    });
  });
}
