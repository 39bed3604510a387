import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { isFault } from "framework";
import type { InspectorFault } from "#inspector/api/fault.js";
import type { TraceQuery } from "#inspector/api/traces.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import type { KeptTrace } from "#inspector/traces/kept-trace.js";
import { TraceStore, type TraceStoreOptions } from "#inspector/traces/trace-store.js";
import { denied, keptTrace, keptTraces } from "../../support/kept-traces.js";

const codeOf = (answer: unknown) => (isFault(answer) ? (answer.error as InspectorFault).code : undefined);
const nodes = new DrawnNodes(() => []);
const storeOf = (options: Partial<TraceStoreOptions> = {}) => new TraceStore({ nodes, ...options });

/** All that the store has, by their numbers. */
const inStore = (store: TraceStore, runs: readonly KeptTrace[]) =>
  runs.filter(({ number }) => store.holds(number));

const BYTES = 64 * 1024;
const bounds = fc.record({
  maxTraces: fc.integer({ min: 4, max: 40 }),
  maxBytes: fc.integer({ min: BYTES, max: 40 * 15_000 }),
});

describe("a store of traces, whatever the order of runs", () => {
  test("wants so many a second, also of runs that overlap", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { maxLength: 200 }), (began) => {
        const store = storeOf({ maxTraces: 8, newestPerSecond: 1, endOf: () => 1e9 });
        const slow = { circuit: "a", startedAt: 0, durationUs: 1e9 };
        for (let number = 0; number < 8; number += 1) store.add({ ...keptTrace({ number }), ...slow });
        const runs = began.map((startedAt) => ({ circuit: "a", startedAt, durationUs: 1 }));

        assert.ok(runs.filter((run) => store.wants(run)).length <= 4);
      }),
    );
  });

  test("wants so many faulted runs a second of each cause and circuit, and those that are slow", () => {
    const store = storeOf({ maxTraces: 8, faultedPerSecond: 1, endOf: () => 1e9 });
    const slow = { circuit: "a", startedAt: 0, durationUs: 1e9 };
    for (let number = 0; number < 8; number += 1) store.add({ ...keptTrace({ number }), ...slow });
    store.add({ ...keptTrace({ number: 8 }), ...slow, circuit: "b" });
    const quick = { circuit: "a", startedAt: 0, durationUs: 1 };
    const wanted = (cause: string, run = quick) =>
      Array.from({ length: 10 }, () => store.wantsFaulted(cause, run)).filter(Boolean).length;

    const before = store.dropped;
    // A quarter of the places at once, and the clock stands.
    assert.deepEqual([wanted("X"), wanted("X"), wanted("Y")], [2, 0, 2]);
    assert.equal(wanted("X", { ...quick, durationUs: 2e9 }), 10);
    assert.equal(store.dropped - before, 8 + 10 + 8);
  });

  test("wants no run for its length where those that are slower take all the bytes", () => {
    const store = storeOf({ maxTraces: 400, maxBytes: 4 * BYTES, newestPerSecond: 1, endOf: () => 1e9 });
    const slow = { circuit: "a", startedAt: 0, durationUs: 1000, bytes: BYTES / 4 };
    for (let number = 0; number < 8; number += 1) store.add({ ...keptTrace({ number }), ...slow });
    const quick = { circuit: "a", startedAt: 0, durationUs: 1 };
    // Whatever is wanted for being new is, at most: half of the places.
    for (let run = 0; run < 200; run += 1) store.wants(quick);

    assert.equal(store.wants(quick), false);
    assert.equal(store.wants({ ...quick, durationUs: 2000 }), true);
  });

  test("has room for as many runs as before once it is cleared", () => {
    const store = storeOf({ maxTraces: 8 });
    const fill = (from: number) => {
      for (let number = from; number < from + 8; number += 1) store.add(keptTrace({ number }));
      return store.size;
    };
    const before = fill(0);

    assert.equal(store.clear(), before);
    assert.deepEqual([store.size, store.bytes], [0, 0]);
    assert.equal(fill(8), before);
  });

  test("never has more runs or bytes than it may, and knows what it has", () => {
    fc.assert(
      fc.property(keptTraces(150), bounds, (runs, options) => {
        const store = storeOf(options);
        let dropped = 0;
        for (const run of runs) {
          dropped += store.add(run).length;
          const kept = inStore(store, runs);

          assert.ok(store.size <= options.maxTraces);
          assert.ok(store.bytes <= options.maxBytes);
          assert.equal(store.size, kept.length);
          assert.equal(
            store.bytes,
            kept.reduce((sum, { bytes }) => sum + bytes, 0),
          );
          assert.equal(store.dropped, dropped);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("tells each run that it lets go of once, and no other", () => {
    fc.assert(
      fc.property(keptTraces(150), bounds, (runs, options) => {
        const store = storeOf(options);
        const told = runs.flatMap((run) => store.add(run));

        assert.equal(new Set(told).size, told.length);
        assert.deepEqual(
          runs.filter((run) => !told.includes(run)),
          inStore(store, runs),
        );
      }),
    );
  });

  test("has the slowest runs of each circuit", () => {
    const fasterAndFaster = Array.from({ length: 40 }, (_, number) => ({
      ...keptTrace({ number }),
      durationUs: 40 - (number % 20),
    }));
    fc.assert(
      fc.property(keptTraces(150), fc.integer({ min: 12, max: 60 }), (runs, maxTraces) => {
        const store = storeOf({ maxTraces });
        for (const run of runs) store.add(run);

        const circuits = new Set(runs.map(({ circuit }) => circuit));
        const each = Math.floor(Math.floor(maxTraces / 4) / circuits.size);
        for (const circuit of circuits) {
          const own = runs.filter((run) => run.circuit === circuit);
          const durations = (some: readonly KeptTrace[]) =>
            some.map(({ durationUs }) => durationUs).sort((a, b) => b - a);

          assert.deepEqual(
            durations(inStore(store, own)).slice(0, each),
            durations(own).slice(0, each),
            `the ${each} slowest of ${circuit}`,
          );
        }
      }),
      { examples: [[fasterAndFaster, 24]] },
    );
  });

  test("has the newest runs", () => {
    fc.assert(
      fc.property(keptTraces(150), fc.integer({ min: 4, max: 60 }), (runs, maxTraces) => {
        const store = storeOf({ maxTraces });
        for (const run of runs) store.add(run);

        const newest = runs.slice(-Math.floor(maxTraces / 2));
        assert.deepEqual(inStore(store, newest), newest);
      }),
    );
  });

  test("has the newest fault of each cause, whatever number others have", () => {
    fc.assert(
      fc.property(keptTraces(150), fc.integer({ min: 24, max: 60 }), (runs, maxTraces) => {
        const store = storeOf({ maxTraces });
        for (const run of runs) store.add(run);

        const last = new Map(runs.map((run) => [`${run.circuit} ${run.fault?.node}`, run]));
        for (const run of last.values())
          if (run.fault !== null) assert.ok(store.holds(run.number), run.runId);
      }),
    );
  });

  test("lets a flood of one cause push out its own kind", () => {
    const store = storeOf({ maxTraces: 16 });
    const faulted = (number: number, node: string) =>
      store.add({ ...keptTrace({ number }), status: "faulted", durationUs: number, fault: denied(node) });
    faulted(0, "rare");
    for (let number = 1; number < 40; number += 1) faulted(number, "often");

    // Neither the slowest nor one of the newest.
    assert.equal(store.holds(0), true);
    assert.equal(store.holds(4), false);
  });

  test("gives each run of what stayed once, page by page, while others come and go", () => {
    fc.assert(
      fc.property(
        keptTraces(80),
        keptTraces(80),
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom("newest" as const, "slowest" as const),
        fc.integer({ min: 4, max: 60 }),
        (before, later, limit, order, maxTraces) => {
          const store = storeOf({ maxTraces });
          for (const run of before) store.add(run);
          const atFirst = inStore(store, before);
          const seen: string[] = [];
          const coming = later.map((run) => ({
            ...run,
            number: -run.number - 1,
            runId: `late-${run.number}`,
          }));
          let cursor: string | undefined;
          for (;;) {
            const page = store.query({ order, limit, ...(cursor !== undefined && { cursor }) });
            assert.ok(!isFault(page));
            seen.push(...page.traces.map(({ run_id }) => run_id));
            assert.ok(page.traces.length === limit || page.cursor === null);
            for (const run of coming.splice(0, 5)) store.add(run);
            if (page.cursor === null) break;
            cursor = page.cursor;
          }

          assert.equal(new Set(seen).size, seen.length, "no run twice");
          for (const { runId } of inStore(store, atFirst))
            assert.ok(seen.includes(runId), `${runId} is lost`);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a store of traces", () => {
  test("lets the slowest of before give way after an hour", () => {
    const store = storeOf({ maxTraces: 4 });
    const at = (number: number, startedAt: number, durationUs: number) =>
      store.add(keptTrace({ number, startedAt, durationUs }));
    at(0, 0, 1000);
    for (const number of [1, 2, 3]) at(number, 3_600_000, 1);
    assert.ok(store.holds(0), "an hour has not passed");

    for (const number of [4, 5, 6]) at(number, 3_600_001, 1);

    assert.ok(!store.holds(0));
  });

  test("gives the rows that are asked for", () => {
    const store = storeOf();
    const request = (method: string, route: string) => ({
      ...{ method, route, path: "/x", request_id: `${method}-1`, trace_id: `${method}-trace` },
    });
    store.add(keptTrace({ number: 1, durationUs: 10, request: request("GET", "/orders/:id") }));
    store.add(keptTrace({ number: 2, durationUs: 30, circuit: "stock" }));
    store.add(keptTrace({ number: 3, durationUs: 20, status: "faulted", fault: denied("stock:guard/a") }));
    store.add(
      keptTrace({
        number: 4,
        durationUs: 5,
        events: [{ kind: "node_enter", node: "stock/count", at_us: 1 }],
      }),
    );
    const page = (query: TraceQuery) => {
      const found = store.query(query);
      assert.ok(!isFault(found));
      return found;
    };
    const ids = (query: TraceQuery) => page(query).traces.map(({ run_id }) => run_id);

    assert.deepEqual(ids({}), ["run-4", "run-3", "run-2", "run-1"]);
    assert.deepEqual(ids({ order: "slowest" }), ["run-2", "run-3", "run-1", "run-4"]);
    assert.deepEqual(ids({ circuit: "stock" }), ["run-2"]);
    assert.deepEqual(ids({ status: "faulted" }), ["run-3"]);
    assert.deepEqual(ids({ route: "GET /orders/:id" }), ["run-1"]);
    assert.deepEqual(ids({ request_id: "GET-1" }), ["run-1"]);
    assert.deepEqual(ids({ request_id: "GET-trace" }), ["run-1"], "a trace's id finds it too");
    assert.deepEqual(ids({ node: "stock/count" }), ["run-4"]);
    assert.deepEqual(ids({ min_duration_us: 20 }), ["run-3", "run-2"]);
    assert.equal(page({ limit: 1 }).cursor, "newest.0.1700000000000032.run-4");
    assert.equal(page({ circuit: "stock", limit: 1 }).cursor, null);
  });

  test("does not know a cursor of another order, or one that it did not make", () => {
    for (const cursor of [
      "",
      "newest.",
      "slowest.1.2.a-1",
      "newest.0.2",
      "newest.0.-1.a-1",
      "newest.0.99999999999999999.a-1",
      "Newest.0.1.a-1",
      "newest.0.1.a-1\n",
    ])
      assert.equal(codeOf(storeOf().query({ cursor })), "CURSOR_INVALID", cursor);
    assert.equal(codeOf(storeOf().query({ order: "slowest", cursor: "newest.0.1.a-1" })), "CURSOR_INVALID");
    assert.equal(codeOf(storeOf().query({ order: "slowest", cursor: "slowest.1.2.a-1" })), undefined);
  });

  test("keeps the first of two runs of one id", () => {
    const store = storeOf();
    store.add(keptTrace({ number: 1, durationUs: 1 }));

    assert.equal(store.add(keptTrace({ number: 1, durationUs: 2 })).length, 1);
    assert.equal(store.row(1)?.duration_us, 1);
  });
});

test("a store of traces selects runs by outcome, status and code, as the page's filters do", () => {
  const store = storeOf();
  const request = { method: "GET", path: "/", route: "/", request_id: "r", trace_id: null };
  const fault = { node: "a/n", code: "DENIED", status: 403, title: "Denied", detail: null };
  const runs = [
    { httpStatus: 200 },
    { httpStatus: 403, status: "faulted", fault },
    { httpStatus: 500, status: "faulted", fault: { ...fault, code: "STEP_PANIC", status: 500 } },
    { httpStatus: 0, status: "aborted" },
  ] as const;
  runs.forEach((run, number) => void store.add({ ...keptTrace({ number }), fault: null, request, ...run }));
  const statuses = (query: TraceQuery) => {
    const page = store.query(query);
    return isFault(page) ? [] : page.traces.map((row) => row.request?.http_status);
  };

  assert.deepEqual(statuses({ outcome: "completed" }), [200]);
  assert.deepEqual(statuses({ outcome: "refused" }), [403]);
  assert.deepEqual(statuses({ outcome: "error" }), [500]);
  assert.deepEqual(statuses({ outcome: "aborted" }), [0]);
  assert.deepEqual(statuses({ http_status: "5xx" }), [500]);
  assert.deepEqual(statuses({ http_status: "403", code: "DENIED" }), [403]);
  assert.deepEqual(statuses({ code: "NONE" }), []);
});
