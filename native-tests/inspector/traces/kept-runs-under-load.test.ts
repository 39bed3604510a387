// Which runs are kept where there are more than the store wants.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, fault, header, MemoryDeadLetters, redrive } from "framework";

import { ContinuedRuns } from "#inspector/traces/continued-runs.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { tracedApp } from "../../support/traced-app.js";

let release = (): void => {};
let released: Promise<void> | undefined;

const axon = Axon.start("work").thenFn(
  "work",
  async (_, bus) => {
    const asked = bus.get(header("x-kind"));
    if (asked === "slow") await released;
    return asked === "bad" || asked === "other" ? fault({ kind: asked }) : `did ${asked}`;
  },
  { reads: [header("x-kind")] },
);

/** Four places: two for the newest, one for the slowest, one for those that faulted; hardly any run a second. */
const opened = (isSought: (id: string) => boolean = () => false) => {
  const traced = tracedApp(
    (ingress) => ingress.get("/", axon),
    "off",
    { maxTraces: 4, newestPerSecond: 1, faultedPerSecond: 1, endOf: () => 1e6 },
    { isSought: ({ request }) => isSought(request?.requestId ?? "") },
  );
  const ask = (id: string, kind = "usual") =>
    traced.app.get("/", { headers: { "x-request-id": id, "x-kind": kind } });
  const ids = () =>
    traced
      .rows()
      .map(({ request }) => request?.request_id)
      .sort();
  return { ...traced, ask, ids };
};

describe("of more runs than are wanted in a second", () => {
  test("are kept some of the newest, the slowest and those that faulted", async () => {
    const { ask, ids, store } = opened();
    released = new Promise((resolve) => {
      release = resolve;
    });
    // Longer than any other: it begins before them and ends behind them.
    const slow = ask("slow", "slow");
    for (let run = 0; run < 52; run += 1) await ask(`usual-${run}`);
    release();
    await slow;
    await ask("bad", "bad");
    const kept = ids();

    assert.ok(kept.includes("slow") && kept.includes("bad"), kept.join(" "));
    assert.ok(kept.length <= 4);
    assert.equal(store.dropped, 54 - kept.length);
  });

  test("are kept some of those that faulted, of each cause", async () => {
    const { ask, rows, store } = opened();
    // Longer than any other: it has the place of the slowest.
    released = new Promise((resolve) => {
      release = resolve;
    });
    const slow = ask("slow", "slow");
    for (let run = 0; run < 20; run += 1) await ask(`bad-${run}`, "bad");
    // A pause of the process may be one of the others' time.
    await new Promise((resolve) => setTimeout(resolve, 500));
    release();
    await slow;
    for (let run = 0; run < 20; run += 1) await ask(`other-${run}`, "other");
    const kept = rows().map(({ request }) => request?.request_id);

    // What is over the first is not looked at, and no other cause is the worse for it.
    assert.deepEqual([...kept].sort(), ["other-0", "slow"]);
    assert.equal(store.dropped, 41 - kept.length);
  });

  test("are kept all that left dead letters", async () => {
    const letters = new MemoryDeadLetters();
    const failing = Axon.start("buried")
      .thenFn("fail", () => fault({ kind: "bad" }))
      .withDlqSink(letters);
    const { app, rows } = tracedApp((ingress) => ingress.get("/", failing), "off", {
      ...{ maxTraces: 8, faultedPerSecond: 1, newestPerSecond: 1, endOf: () => 1e6 },
    });
    for (let run = 0; run < 50; run += 1) await app.get("/", { headers: { "x-request-id": `run-${run}` } });

    assert.equal(letters.list().length, 50);
    // Each had its place: the newest are there.
    assert.deepEqual(
      rows()
        .slice(0, 4)
        .map(({ request }) => request?.request_id),
      ["run-49", "run-48", "run-47", "run-46"],
    );
  });

  test("are kept those that do a dead letter again", async () => {
    const letters = new MemoryDeadLetters();
    const continued = new ContinuedRuns(() => [collector.recorder]);
    const { app, collector, rows } = tracedApp(
      (ingress) => ingress.get("/", axon),
      "off",
      { maxTraces: 4, newestPerSecond: 1, endOf: () => 1e6 },
      { continued },
    );
    for (let run = 0; run < 50; run += 1) await app.get("/");
    const letter = { axon: "work", version: "1.0.0", node: "work/work", error: "none", undone: [] };
    continued.watch([(axon as unknown as AnyAxon).definition]);
    const bus = Bus.of([[header("x-kind"), "usual"]]);
    for (const id of ["1", "2", "3", "4"]) {
      const sent = { ...letter, id, kind: "step", input: 1, timeline: undefined } as const;
      letters.send({ ...sent, failed_at: 1, attempts: 1 });
      assert.equal((await redrive(letters, id, axon as never, bus as never)).kind, "done");
    }
    const kept = rows().map(({ goes_on }) => goes_on?.id);

    // There is room for the two newest.
    assert.deepEqual(kept.slice(0, 2), ["4", "3"]);
  });

  test("is kept whoever is looked for, as it was", async () => {
    const { ask, rows, store } = opened((id) => id.startsWith("sought"));
    for (let run = 0; run < 50; run += 1) await ask(`usual-${run}`);
    await ask("sought-1");
    const [row] = rows();
    const trace = store.get(row?.run_id ?? "");

    assert.equal(row?.request?.request_id, "sought-1");
    assert.equal(row?.request?.http_status, 200);
    assert.deepEqual(
      trace?.nodes.map(({ node }) => node),
      ["work/work"],
    );
  });

  test("each that is kept says what it was, whichever went before it in its place", async () => {
    const { ask, rows, store } = opened(() => true);
    for (let run = 0; run < 20; run += 1) await ask(`run-${run}`, run % 3 === 0 ? "bad" : "usual");

    for (const row of rows()) {
      const run = Number(row.request?.request_id.slice(4));
      assert.equal(row.status, run % 3 === 0 ? "faulted" : "completed");
      assert.equal(row.request?.http_status, run % 3 === 0 ? 500 : 200);
      assert.equal(store.get(row.run_id)?.run.request?.request_id, row.request?.request_id);
    }
    assert.equal(new Set(rows().map(({ run_id }) => run_id)).size, rows().length);
  });
});
