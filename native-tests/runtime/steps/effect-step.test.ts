import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, busKey, emit, eventKind, fault, jump, RetryPolicy, transition } from "framework";
import type { PersistenceOptions } from "framework/runtime";
import type { AnyTransition } from "#core/flow/transition.js";
import type { KeptEffect, RunEntry } from "#core/ports/run-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { readLog } from "#runtime/kept/run-log.js";
import { executors } from "../../support/executors.js";
import { codeOf, keptRuns } from "../../support/kept-runs.js";

const Total = busKey<number>()("Total");
const Sold = eventKind<{ n: number }>()("sold");

const effect = (name: string, run: AnyTransition["run"], of: object = {}) =>
  transition({ name, effect: true, ...of, run: run as (n: number) => number });
const last = (results: readonly unknown[]): number => results.at(-1) as number;
const begin = (runs: ReturnType<typeof keptRuns>, options?: PersistenceOptions) =>
  Axon.start<number>("s").withPersistenceStore(runs.runs, options);
const of = (
  entries: readonly RunEntry[],
): readonly (readonly [string, readonly KeptEffect[] | undefined])[] =>
  entries.map(({ kind, effects }) => [kind, effects]);
const next = (node: string, value: number): KeptEffect => ({ node, outcome: { kind: "next", value } });

for (const executor of executors)
  describe(`an effect inside a step, ${executor.name}`, () => {
    const entriesOf = async (
      make: (runs: ReturnType<typeof keptRuns>) => unknown,
      input: unknown = 1,
    ): Promise<readonly RunEntry[]> => {
      const runs = keptRuns(executor);
      await runs.start(make(runs) as AnyAxon, input);
      return runs.runs.inner.read("run");
    };

    test("is in the next entry of the log, in the order of settling; others write nothing", async () => {
      let let2: (n: number) => void = () => {};
      const slow = effect("slow", () => new Promise<number>((done) => (let2 = done)));
      const fast = effect("fast", async (n) => {
        setImmediate(() => let2(20));
        return n + 1;
      });
      const plain = transition({ name: "plain", run: (n: number) => n });
      const entries = await entriesOf((runs) =>
        begin(runs)
          .then(effect("line", (n) => n))
          .parallel([slow, fast, plain], "AllMustSucceed", last, { name: "both" })
          .thenFn("end", (n) => n),
      );

      assert.deepEqual(of(entries), [
        ["begun", undefined],
        ["checkpoint", undefined],
        ["checkpoint", [next("s/both/fast", 2), next("s/both/slow", 20)]],
        ["ended", undefined],
      ]);
      assert.ok(readLog(entries)?.end, "it is read as a log");
    });

    test("counts with what it comes to after its retries; of a part that runs again, each time", async () => {
      let tries = 0;
      const flaky = effect("flaky", () => {
        tries += 1;
        if (tries % 3 !== 0) return fault({ tries });
        return tries;
      });
      const twice = RetryPolicy.fixed(2, 0);
      const inner = Axon.start<number>("inner")
        .thenWithRetry(flaky, twice)
        .thenFn("check", (n) => (n < 6 ? fault("again") : n));
      const entries = await entriesOf((runs) => begin(runs).thenWithRetry(inner.asTransition(), twice));

      assert.equal(tries, 6);
      assert.deepEqual(of(entries).at(-1), ["ended", [next("s/inner/flaky", 3), next("s/inner/flaky", 6)]]);
    });

    test("keeps faults, panics, jumps, branches, emitted values and what it sets on the Bus", async () => {
      const bad = Axon.start<number>("bad").then(effect("refuse", () => fault({ code: "NO" })));
      const inner = Axon.start<number>("inner")
        .label("again")
        .then(
          transition({
            name: "hop",
            effect: true,
            jumps: ["again"],
            branches: ["side"],
            run: (n: number) => (n < 2 ? jump("again", 2) : branch("side", 3)),
          }),
        )
        .branch(
          "side",
          Axon.start<number>("side").thenFn("pass", (n) => n),
        )
        .thenFn(
          "sell",
          (n, bus) => {
            bus.set(Total, 7);
            return emit(Sold, { n }, Promise.resolve(4));
          },
          { effect: true, emits: [Sold], writes: [Total] },
        );
      const throwing = effect("throw", () => {
        throw new Error("gone");
      });
      const rejecting = effect("reject", () => Promise.reject(new Error("gone")));
      const all = [bad.asTransition(), throwing, rejecting] as const;
      const entries = await entriesOf((runs) =>
        begin(runs)
          .thenWithTimeout(inner.asTransition() as never, 1000)
          .parallel(all as never, "AnyCanFail", () => 1, { name: "all" })
          .thenFn("end", (n) => n),
      );

      const [, first, second] = of(entries).map(([, effects]) => effects ?? []);
      assert.deepEqual(first, [
        { node: "s/inner/hop", outcome: { kind: "jump", label: "again", value: 2 } },
        { node: "s/inner/hop", outcome: { kind: "branch", id: "side", value: 3 } },
        { ...next("s/inner/sell", 4), bus: { Total: 7 } },
      ]);
      assert.deepEqual(
        second?.map(({ node, outcome }) => [node, outcome?.kind]),
        [
          ["s/all/bad/refuse", "fault"],
          ["s/all/throw", "fault"],
          ["s/all/reject", "fault"],
        ],
      );
      assert.match(JSON.stringify(second), /TRANSITION_PANIC.*gone/);
    });
  });

const plainly = { name: "generated", options: {} };
const both = (...steps: AnyTransition[]) =>
  [steps as never, "AllMustSucceed", last, { name: "both" }] as const;

describe("the record of an effect inside a step", () => {
  test("is without a value that cannot be stored or is too large, and the run goes on", async () => {
    const runs = keptRuns(plainly);
    const axon = begin(runs, { maxValueChars: 100 })
      .parallel(
        ...both(
          effect("large", () => "x".repeat(101)),
          effect("odd", () => () => 1),
          effect("kept", () => 1),
        ),
      )
      .thenFn("end", () => 5);

    assert.equal(await runs.start(axon, 1), 5);
    assert.deepEqual(runs.runs.inner.read("run")[1]?.effects, [
      { node: "s/both/large" },
      { node: "s/both/odd" },
      next("s/both/kept", 1),
    ]);
  });

  test("is in the entry of a wait, of a failure and of an end, whichever comes next", async () => {
    const kinds = async (axon: (runs: ReturnType<typeof keptRuns>) => unknown) => {
      const runs = keptRuns(plainly);
      await runs.start(axon(runs) as AnyAxon, 1);
      return runs.runs.inner.read("run").flatMap(({ kind, effects }) => (effects ? [kind] : []));
    };
    const one = both(effect("one", () => 1));
    const undo = transition({ name: "undo", run: () => {} });
    assert.deepEqual(
      await kinds((runs) =>
        Axon.start<number>("s")
          .withPersistenceStore(runs.runs.inner)
          .parallel(...one)
          .sleep("nap", 1000),
      ),
      ["waiting"],
    );
    assert.deepEqual(await kinds((runs) => begin(runs).parallel(...one)), ["ended"]);
    assert.deepEqual(await kinds((runs) => begin(runs, { checkpoint: "async" }).parallel(...one)), ["ended"]);
    const failing = both(effect("one", () => fault("no")));
    assert.deepEqual(await kinds((runs) => begin(runs).parallel(...failing)), ["ended"]);
    const undone = (runs: ReturnType<typeof keptRuns>) =>
      begin(runs)
        .thenCompensated(transition({ name: "done", run: (n: number) => n }), undo as never)
        .parallel(...failing);
    assert.deepEqual(await kinds(undone), ["failed"]);
  });

  test("is left out where no checkpoints are written, and of an effect in the line", async () => {
    const entries = async (checkpoint: "none" | "sync", isEffect: boolean) => {
      const runs = keptRuns(plainly);
      const step = transition({ name: "one", ...(isEffect && { effect: true }), run: (n: number) => n });
      const axon = begin(runs, { checkpoint });
      await runs.start(checkpoint === "none" ? axon.parallel(...both(step)) : axon.then(step), 1);
      return JSON.stringify(runs.runs.inner.read("run").map((entry) => ({ ...entry, at: 0 })));
    };
    assert.equal(await entries("none", true), await entries("none", false));
    assert.equal(await entries("sync", true), await entries("sync", false));
  });

  test("is none of a part that was over before it settled", async () => {
    const runs = keptRuns(plainly);
    let settle: (n: number) => void = () => {};
    const hangs = effect("hangs", () => new Promise<number>((done) => (settle = done)));
    const inner = Axon.start<number>("inner").then(hangs);
    const limited = Axon.start<number>("limited").thenWithTimeout(inner.asTransition() as never, 10);
    let open: (n: number) => void = () => {};
    const axon = begin(runs)
      .parallel([limited.asTransition()] as never, "AnyCanFail", () => 1)
      .thenFn("hold", () => new Promise<number>((done) => (open = done)))
      .thenFn("end", (n) => n);
    const ended = runs.start(axon, 1);
    await runs.clock.advance(10);
    settle(1);
    await new Promise(setImmediate);
    open(3);
    assert.equal(await ended, 3);
    assert.deepEqual(
      runs.runs.inner.read("run").flatMap(({ effects }) => effects ?? []),
      [],
    );
  });

  test("counts to the size of the log, and a part that jumps has no more than a log has entries", async () => {
    const loop = (times: number, value: string) =>
      Axon.start<number>("loop")
        .thenFn("begin", () => 0)
        .label("again")
        .thenFn("count", (n) => n + 1)
        .then(
          effect("send", (n) => ((n as number) < times ? jump("again", n) : value), { jumps: ["again"] }),
        );
    const run = async (times: number, value: string, options: PersistenceOptions) => {
      const runs = keptRuns(plainly);
      const axon = begin(runs, options)
        .thenWithRetry(loop(times, value).asTransition() as never, RetryPolicy.fixed(1, 0))
        .thenFn("end", () => 1)
        .thenFn("over", () => 1);
      const outcome = await runs.start(axon, 1);
      return { outcome, entries: runs.runs.inner.read("run") };
    };
    const many = await run(30, "x", { maxLogEntries: 20 });
    assert.equal(many.outcome, 1);
    assert.equal(many.entries[1]?.effects?.length, 20);
    assert.equal(codeOf((await run(1, "x".repeat(500), { maxLogChars: 700 })).outcome), "RUN_LOG_FULL");
    assert.equal((await run(1, "x".repeat(500), { maxLogChars: 1700 })).outcome, 1);
  });

  test("is checked when the log is read", () => {
    const begun = {
      kind: "begun",
      at: 1,
      axon: "s",
      version: "1",
      node: "s:in",
      input: 1,
      bus: {},
      jumps: 0,
    };
    assert.ok(readLog([begun, { kind: "ended", at: 2, output: 1, effects: [next("a", 1)] }]));
    for (const effects of [{}, [{}], [{ node: "a", outcome: 1 }], [{ node: "a", bus: [] }]])
      assert.throws(
        () => readLog([begun, { kind: "ended", at: 2, effects }]),
        /its 'effects' is missing or wrong/,
      );
  });
});
