// What every executor does with the labels that steps set.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import { fault } from "#core/bus/outcome.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { codeOf, errorOf, runner } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";
import { keptRuns, never } from "../support/kept-runs.js";

const order = Type.String({ maxLength: 100, pattern: "^[0-9]+$" });

type Labelling<N extends string> = BusView<never, never, never, never, never, N>;

export function labelsContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: labels`, () => {
    test("are in the log once they change, the last value of each, and come back with a resumed run", async () => {
      const { runs, start, resume } = keptRuns(executor);
      const world = { hangs: true };
      const axon = Axon.start<string>("s")
        .withLabels({ order, region: Type.String({ maxLength: 8 }) })
        .withPersistenceStore(runs)
        .thenFn("one", { labels: ["order"] }, (id, bus) => {
          bus.label("order", "0");
          bus.label("order", id);
          return id;
        })
        .thenFn("two", (id) => (world.hangs ? (never() as never) : id))
        .thenFn("three", { labels: ["region"] }, (id, bus) => {
          bus.label("region", "eu");
          return id;
        })
        .thenFn("four", (id) => id) as unknown as AnyAxon;
      void start(axon, "17");
      assert.deepEqual(runs.inner.unfinished()[0]?.labels, { order: "17" });
      world.hangs = false;

      assert.equal(await resume(axon), "17");
      assert.deepEqual(
        runs.read("run").map(({ kind, labels }) => [kind, labels]),
        [
          ["begun", undefined],
          ["checkpoint", { order: "17" }],
          ["resumed", undefined],
          ["checkpoint", undefined],
          ["checkpoint", { order: "17", region: "eu" }],
          ["ended", undefined],
        ],
      );
    });

    test("of the step that ends the run are in the entry of the end", async () => {
      const { runs, start } = keptRuns(executor);
      const axon = Axon.start<string>("s")
        .withLabels({ order })
        .withPersistenceStore(runs, { checkpoint: "none" })
        .thenFn("one", { labels: ["order"] }, (id, bus) => bus.label("order", id)) as unknown as AnyAxon;
      start(axon, "1");

      assert.deepEqual(runs.last()?.labels, { order: "1" });
    });

    test("are in the dead letter, whichever step of the run has set them: in a part, an Axon inside, at a retry", async () => {
      const letters = new MemoryDeadLetters();
      const text = Type.String({ maxLength: 10 });
      const world = { tries: 0 };
      const inner = Axon.start<number>("inner")
        .withLabels({ inside: text })
        .thenFn("label", { labels: ["inside"] }, (n, bus) => {
          bus.label("inside", "yes");
          return n;
        });
      const part = <const N extends string>(name: N) => ({
        ...{ name, labels: [name] as const },
        run: async (n: number, bus: Labelling<N>) => {
          await 0;
          bus.label(name, String(n));
          return n;
        },
      });
      const axon = Axon.start<number>("outer")
        .withLabels({ left: text, right: text, tries: text })
        .withDlqSink(letters)
        .subgraph(inner)
        .parallel([part("left"), part("right")], "AllMustSucceed", ([n]) => n)
        .thenWithRetry(
          {
            ...{ name: "again", labels: ["tries"] as const },
            run: (_: number, bus: Labelling<"tries">) => {
              world.tries += 1;
              bus.label("tries", String(world.tries));
              return fault({ kind: "no" });
            },
          },
          RetryPolicy.fixed(2, 0),
        );
      await run(axon as unknown as AnyAxon, 5);

      const [letter] = letters.list() as [DeadLetter];
      assert.deepEqual(letter.labels, { inside: "yes", left: "5", right: "5", tries: "3" });
    });

    test("of one run are not those of the next, and a run without labels has none in its letter", async () => {
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<string>("s")
        .withLabels({ order })
        .withDlqSink(letters)
        .thenFn("one", { labels: ["order"] }, (id, bus) => {
          if (id !== "") bus.label("order", id);
          return fault({ kind: "no" });
        });
      for (const id of ["1", ""]) await run(axon as unknown as AnyAxon, id);

      assert.deepEqual(
        letters.list().map((letter) => [Object.hasOwn(letter, "labels"), letter.labels]),
        [
          [true, { order: "1" }],
          [false, undefined],
        ],
      );
    });

    test("with a value that does not fit end the run at the step, with the code and without the value", async () => {
      const axon = Axon.start<unknown>("s")
        .withLabels({ order })
        .thenFn("one", { labels: ["order"] }, (value, bus) => bus.label("order", value as string));
      for (const value of ["secret", "1".repeat(101), 7, null, undefined, { toString: () => "1" }]) {
        const ran = await run(axon as unknown as AnyAxon, value);
        assert.equal(codeOf(ran), "TRANSITION_PANIC");
        const { cause: reason } = errorOf(ran) as { readonly cause: Error & { readonly code: string } };
        assert.equal(reason.code, "LABEL_VALUE_INVALID");
        assert.match(reason.message, /^Axon 's': the label 'order' was set to a value that does not fit/);
        assert.doesNotMatch(reason.message, /secret/);
      }
    });

    test("cannot be set on the Bus of a part that is over", async () => {
      const world: { late?: () => void } = {};
      const axon = Axon.start<number>("s")
        .withLabels({ order })
        .parallel(
          [
            {
              ...{ name: "part", labels: ["order"] as const },
              run: (n: number, bus: Labelling<"order">) => {
                world.late = () => bus.label("order", "1");
                return n;
              },
            },
          ],
          "AllMustSucceed",
          ([n]) => n,
        );
      await run(axon as unknown as AnyAxon, 1);

      assert.throws(() => world.late?.(), { code: "BUS_RELEASED" });
    });
  });
}
