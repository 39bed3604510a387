// What every executor undoes of a run that is kept.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Bus } from "#core/bus/bus.js";
import { fault } from "#core/bus/outcome.js";
import { synapse } from "#core/flow/synapse.js";
import { transition } from "#core/flow/transition.js";
import { RunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import type { Executor } from "../support/executors.js";
import { codeOf, Db, keptRuns, Note, never } from "../support/kept-runs.js";

export function keptUndoContract(executor: Executor): void {
  const arranged = () => keptRuns(executor);

  describe(`executor: ${executor.name}: undoing kept runs`, () => {
    test("undoes in a resumed run what was completed before it was stopped, with the Bus of then", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const undo = transition({
        name: "undo",
        reads: [Note, RunId],
        run: ({ input, output }: { input: number; output: { n: number } }, bus) =>
          void undone.push([input, output, bus.get(Note), bus.get(RunId)]),
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(
          transition({
            name: "one",
            writes: [Note],
            run: (n: number, bus) => {
              bus.set(Note, "kept");
              return { n };
            },
          }),
          undo as never,
        )
        .thenFn("two", () => (world.hangs ? never() : 2) as number)
        .thenFn("three", () => fault("no")) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.equal(((await resume(axon)) as { error: unknown }).error, "no");
      assert.deepEqual(undone, [[1, { n: 1 }, "kept", "run"]]);
    });

    test("goes on undoing where it was stopped, and stops undoing where the store fails", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const book = (name: string) => transition({ name, run: (n: number) => n });
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withDlqSink(letters)
        .thenCompensated(book("a"), () => void undone.push("a"))
        .thenCompensated(book("b"), async () => void undone.push("b"))
        .thenCompensated(book("c"), () => void undone.push("c"))
        .then(
          synapse({
            name: "no",
            call: (): never => {
              throw new Error("pier 7 caught fire");
            },
            toFault: () => ({ kind: "no" }),
          }),
        ) as unknown as AnyAxon;
      runs.misbehave = (_, [entry]) =>
        entry?.kind === "undone" && entry.left === 1 ? assert.fail("away") : undefined;

      assert.equal(codeOf(await start(axon, 1)), "CHECKPOINT_FAILED");
      assert.deepEqual([undone, letters.list()], [["c", "b"], []]);
      runs.misbehave = () => undefined;
      assert.deepEqual(((await resume(axon)) as { error: unknown }).error, { kind: "no" });
      assert.deepEqual(undone, ["c", "b", "b", "a"]);
      // Nobody had sent it.
      assert.deepEqual(
        letters.list().map(({ id, node, input, error, undone }) => [id, node, input, error, undone]),
        [
          [
            "run",
            "s/no",
            1,
            { kind: "no" },
            ["a", "b", "c"].map((name) => ({ node: `s/${name}`, input: 1 })),
          ],
        ],
      );
      assert.match(letters.list()[0]?.cause ?? "", /^Error: pier 7 caught fire\n +at /);
      assert.deepEqual(runs.kinds().slice(-5), ["undone", "resumed", "undone", "undone", "ended"]);
    });

    test("undoes in its process what cannot be kept, and sends its letter", async () => {
      const { runs, start } = arranged();
      const undone: unknown[] = [];
      const letters = new MemoryDeadLetters();
      const undo = ({ output }: { output: unknown }): void => void undone.push(typeof output);
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withDlqSink(letters)
        .thenCompensated(transition({ name: "one", run: (n: number) => ({ n, call: {} as unknown }) }), undo)
        .thenFn("no", (given) => {
          // Who changes what it was given changes what its letter says.
          given.call = () => 1;
          return fault("no");
        }) as unknown as AnyAxon;
      const odd = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: () => () => 1 }), undo)
        .thenFn("two", () => 2) as unknown as AnyAxon;

      assert.equal(((await start(axon, 1)) as { error: unknown }).error, "no");
      assert.deepEqual(
        letters.list().map(({ node }) => node),
        ["s/no"],
      );
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "failed", "undone", "ended"]);
      assert.equal(codeOf(start(odd, 1, { id: "odd" })), "VALUE_NOT_DURABLE");
      assert.deepEqual(undone, ["object", "function"]);
      assert.deepEqual(runs.kinds("odd"), ["begun", "failed", "undone", "ended"]);
    });

    test("undoes after a stop what ran beside others with what each had on its own Bus", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const beside = (name: string) => {
        const undo = transition({
          name: `undo ${name}`,
          reads: [Note],
          run: (_: unknown, bus) => void undone.push([name, bus.get(Note)]),
        });
        const noting = transition({
          name,
          writes: [Note],
          run(n: number, bus) {
            bus.set(Note, `of ${name}`);
            return n;
          },
        });
        return Axon.start<number>(name)
          .thenCompensated(noting, undo as never)
          .asTransition();
      };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([beside("a"), beside("b")], "AllMustSucceed", () => 1)
        .thenFn("two", () => (world.hangs ? never() : fault("no"))) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.deepEqual(await resume(axon), fault("no"));
      assert.deepEqual(undone, [
        ["b", "of b"],
        ["a", "of a"],
      ]);
    });

    test("has failed once what a step ran by itself is undone, and goes on at that step before", async () => {
      const { runs, start, resume } = arranged();
      const calls: string[] = [];
      const stop = new AbortController();
      const world = { hangs: true };
      const inside = Axon.start<number>("inside")
        .thenCompensated(
          transition({
            name: "in",
            async run(n: number) {
              calls.push("in");
              return n;
            },
          }),
          () => {
            calls.push("undo in");
            return world.hangs ? never() : undefined;
          },
        )
        .thenFn("slow", (n) => (world.hangs ? never() : n) as number);
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(
          transition({ name: "one", run: (n: number) => n }),
          () => void calls.push("undo one"),
        )
        .thenWithRetry(inside.asTransition(), RetryPolicy.fixed(0, 0)) as unknown as AnyAxon;
      void start(axon, 1, { signal: stop.signal });
      await new Promise((resolve) => setImmediate(resolve));
      stop.abort(new Error("stop"));
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        [calls, runs.kinds()],
        [
          ["in", "undo in"],
          ["begun", "checkpoint"],
        ],
      );
      world.hangs = false;

      assert.equal(await resume(axon), 1);
      assert.deepEqual(calls, ["in", "undo in", "in"]);
    });

    test("leaves a run where it is while nobody gives what undoes its steps", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const undo = transition({
        name: "undo",
        reads: [Db],
        run: (_: unknown, bus) => void undone.push(bus.get(Db).name),
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), undo)
        .thenFn("two", () => (world.hangs ? never() : fault("no"))) as unknown as AnyAxon;
      const bus = Bus.of([[Db, { name: "db" }]]);
      void start(axon, 1, { bus });
      world.hangs = false;

      await assert.rejects(resume(axon), {
        code: "KEYS_UNPROVIDED",
        message: /'Db' for what undoes step 'one'/,
      });
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      assert.deepEqual([await resume(axon, "run", bus), undone], [fault("no"), ["db"]]);
    });

    test("undoes no step again where one between them could not be kept", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const world = { hangs: true };
      const beside = (name: string, output: unknown) =>
        Axon.start<number>(name)
          .thenCompensated(transition({ name, run: (_: number) => output }), () => {
            undone.push(name);
            return world.hangs && name === "b" ? never() : undefined;
          })
          .asTransition();
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([beside("a", 1), beside("b", never), beside("c", 3)], "AllMustSucceed", () => 1)
        .thenFn("two", () => 1) as unknown as AnyAxon;
      void start(axon, 1);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(undone, ["c", "b"]);
      world.hangs = false;

      assert.equal(codeOf(await resume(axon)), "VALUE_NOT_DURABLE");
      assert.deepEqual(undone, ["c", "b", "a"]);
    });
  });
}
