// What every executor keeps of a run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import type { ValueNotDurable } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import { RunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { Total } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";
import { codeOf, Db, keptRuns, lineOf, Note, never } from "../support/kept-runs.js";

export function persistenceContract(executor: Executor): void {
  const arranged = () => keptRuns(executor);

  describe(`executor: ${executor.name}: persistence`, () => {
    test("keeps each step before the next begins, and stays synchronous with a store that is", () => {
      const { runs, start } = arranged();
      const seen: unknown[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            bus.set(Total, 10);
            return n + 1;
          },
          { writes: [Total] },
        )
        .thenFn(
          "two",
          (n, bus) => {
            seen.push(runs.kinds(), bus.get(RunId));
            return n + bus.get(Total);
          },
          { reads: [Total, RunId] },
        );

      assert.equal(start(axon as AnyAxon, 1), 12);
      assert.deepEqual(seen, [["begun", "checkpoint"], "run"]);
      const [begun, ...behind] = runs.inner.read("run").map(({ at, ...entry }) => entry);
      // Whoever is told of a run is named its id.
      const { watched_as = "", ...first } = begun as { readonly watched_as?: string };
      const isTold = Object.keys(executor.options.recorder ?? {}).length > 0;
      assert.equal(/^[0-9a-f]{10}-[0-9a-z]+$/.test(watched_as), isTold);
      assert.deepEqual(
        [first, ...behind],
        [
          { kind: "begun", axon: "s", version: "1.0.0", node: "s/one", input: 1, bus: {}, jumps: 0 },
          { kind: "checkpoint", node: "s/two", input: 2, bus: { Total: 10 }, jumps: 0, completed: [] },
          { kind: "ended", output: 12 },
        ],
      );
    });

    test("makes an id where none is given, and refuses one that is none", () => {
      const { runs, start } = arranged();
      const axon = lineOf(runs, ["one"], { calls: [] });

      assert.equal(start(axon, 1, { id: "" }), 2);
      assert.deepEqual(runs.kinds("made"), ["begun", "ended"]);
      assert.equal(codeOf(start(axon, 1, { id: "x".repeat(201) })), "RUN_ID_INVALID");
    });

    test("begins no second run under one id", () => {
      const { runs, start } = arranged();
      const world = { calls: [] as string[], hangAt: "two" };
      const axon = lineOf(runs, ["one", "two"], world);
      void start(axon, 1);

      assert.equal(codeOf(start(axon, 5)), "RUN_TAKEN");
      assert.deepEqual(world.calls, ["one 1", "two 2"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
    });

    test("keeps what later steps use, and neither what none does nor what came from outside", async () => {
      const { runs, start, resume } = arranged();
      const Gone = busKey<() => void>()("Gone");
      const world = { hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            bus.set(Note, bus.get(Db).name);
            bus.set(Gone, () => {});
            return n;
          },
          { reads: [Db], writes: [Note, Gone] },
        )
        .thenFn(
          "two",
          (n, bus) => (world.hangs ? never() : `${n} ${bus.get(Note)} ${bus.get(Db).name}`) as string,
          { reads: [Note, Db] },
        ) as unknown as AnyAxon;
      void start(axon, 1, { bus: Bus.of([[Db, { name: "a" }]]) });
      world.hangs = false;

      assert.deepEqual((runs.last() as { bus?: unknown }).bus, { Note: "a" });
      await assert.rejects(resume(axon), { code: "KEYS_UNPROVIDED", message: /'Db' for step 'two'/ });
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      assert.equal(await resume(axon, "run", Bus.of([[Db, { name: "b" }]])), "1 a b");
    });

    test("ends as VALUE_NOT_DURABLE where a step answers or writes what cannot be kept, and undoes the rest", () => {
      const { runs, start } = arranged();
      const undone: string[] = [];
      const letters = new MemoryDeadLetters();
      const book = transition({ name: "book", run: (n: number) => n });
      const Conn = busKey<Map<string, () => void>>()("Conn");
      const answers = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(book, () => void undone.push("book"))
        .thenFn("odd", (n) => ({ lines: [{ n, call: () => n }] }))
        .thenFn("end", (x) => x)
        .withDlqSink(letters) as unknown as AnyAxon;
      const writes = Axon.start<number>("w")
        .withPersistenceStore(runs, { checkpoint: "async" })
        .thenFn(
          "odd",
          (n, bus) => {
            bus.set(Conn, new Map([["a", () => {}]]));
            return n;
          },
          { writes: [Conn] },
        )
        .thenFn("end", (n, bus) => n + bus.get(Conn).size, { reads: [Conn] }) as unknown as AnyAxon;
      const what = (outcome: unknown): unknown => {
        assert.equal(codeOf(outcome), "VALUE_NOT_DURABLE");
        const { axon, value, reason } = (outcome as { error: ValueNotDurable }).error;
        return [axon, value, reason];
      };

      assert.deepEqual(what(start(answers, 1)), ["s", "input.lines[0].call", "a function"]);
      assert.deepEqual(undone, ["book"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "failed", "undone", "ended"]);
      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["s/odd", 1]],
      );
      assert.deepEqual(what(start(writes, 1, { id: "w" })), ["w", "Conn{}", "a function"]);
      const input = { n: Symbol("s") };
      assert.deepEqual(what(start(lineOf(runs, ["one"], { calls: [] }), input, { id: "i" })), [
        "s",
        "input.n",
        "a symbol",
      ]);
      assert.deepEqual(runs.kinds("i"), []);
    });

    // J2: lost, it undoes nothing.
    for (const [how, answer] of [
      ["throws", () => assert.fail("away")],
      ["rejects", () => Promise.reject(new Error("away"))],
      ["hangs", never],
    ] as const)
      test(`stops where the store ${how}, undoes nothing, keeps no letter, and can be resumed`, async () => {
        const { runs, start, resume, clock, reports } = arranged();
        const undone: string[] = [];
        const calls: string[] = [];
        const letters = new MemoryDeadLetters();
        const axon = Axon.start<number>("s")
          .withPersistenceStore(runs, { timeoutMs: 50 })
          .withDlqSink(letters)
          .thenCompensated(
            transition({ name: "one", run: (n: number) => n + 1 }),
            () => void undone.push("one"),
          )
          .thenFn("two", (n) => {
            calls.push(`two ${n}`);
            return n + 1;
          })
          .thenFn("three", (n) => n + 1) as AnyAxon;
        runs.misbehave = (_, [entry]) =>
          entry?.kind === "checkpoint" && entry.node === "s/three" ? answer() : undefined;
        const running = Promise.resolve(start(axon, 1));
        await clock.advance(60);

        assert.equal(codeOf(await running), "CHECKPOINT_FAILED");
        assert.deepEqual([undone, letters.list(), runs.kinds()], [[], [], ["begun", "checkpoint"]]);
        assert.deepEqual(
          reports.map(({ code }) => code),
          ["CHECKPOINT_LOST"],
        );
        runs.misbehave = () => undefined;
        assert.equal(await resume(axon), 4);
        assert.deepEqual(calls, ["two 2", "two 2"]);
        assert.equal(clock.timers, 0);
      });

    test("answers CHECKPOINT_FAILED too where the end of a run cannot be kept", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[] };
      const axon = lineOf(runs, ["one"], world);
      runs.misbehave = (_, [entry]) =>
        entry?.kind === "ended" ? Promise.reject(new Error("away")) : undefined;

      assert.equal(codeOf(await start(axon, 1)), "CHECKPOINT_FAILED");
      runs.misbehave = () => undefined;
      assert.equal(await resume(axon), 2);
    });

    test("is over in time where it is aborted while the store hangs", async () => {
      const { runs, start, clock } = arranged();
      const abort = new AbortController();
      const axon = lineOf(runs, ["one", "two"], { calls: [] });
      runs.misbehave = (known) => (known === 1 ? never() : undefined);
      const running = Promise.resolve(start(axon, 1, { signal: abort.signal }));
      await clock.advance(0);
      abort.abort();
      await clock.advance(10_000);

      assert.equal(codeOf(await running), "CHECKPOINT_FAILED");
      assert.equal(clock.timers, 0);
    });

    test("keeps that a run was aborted: it is over", async () => {
      const { runs, start, resume, clock } = arranged();
      const abort = new AbortController();
      const undone: string[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
        .thenFn("hang", never) as AnyAxon;
      const running = Promise.resolve(start(axon, 1, { signal: abort.signal }));
      await clock.advance(0);
      abort.abort("enough");

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.deepEqual(undone, ["one"]);
      assert.equal(codeOf(await resume(axon)), "RUN_ABORTED");
    });

    test("begins a log where a run begins in the middle", async () => {
      const { runs, programOf } = arranged();
      const axon = lineOf(runs, ["one", "two"], { calls: [] });
      const program = programOf(axon);

      assert.equal(await program.runFrom("s/two")(5, program.acquire()), 6);
      assert.equal((runs.inner.read("made")[0] as { node: string }).node, "s/two");
    });

    test("keeps nothing of a run whose input is refused", async () => {
      const { Type } = await import("framework");
      const { runs, start } = arranged();
      const axon = Axon.start("s", Type.Number()).withPersistenceStore(runs) as AnyAxon;

      assert.equal(
        codeOf(start(axon.thenFn("one", ((n: number) => n) as never) as AnyAxon, "x")),
        "INPUT_INVALID",
      );
      assert.equal(runs.appends, 0);
    });
  });
}
