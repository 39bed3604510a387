import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, fault, jump, layer, RetryPolicy, transition } from "framework";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { tracedApp } from "../../support/traced-app.js";

describe("a waterfall", () => {
  test("has branches, jumps, retries and what stands inside layers and subgraphs", async () => {
    let tries = 0;
    const inner = Axon.start<number>("inner").thenFn("add", (n) => n + 1);
    const axon = Axon.start("all")
      .thenFn("begin", () => 1)
      .label("again")
      .thenFn(
        "grow",
        (n): number | ReturnType<typeof jump<"again", number>> => (n < 2 ? jump("again", n + 1) : n),
        {
          jumps: ["again"],
        },
      )
      .thenFn("fork", (n) => (n > 1 ? branch("high", n) : n), { branches: ["high"] })
      .branch(
        "high",
        Axon.start<number>("high").thenFn("cap", (n) => n),
      )
      .subgraph(inner)
      .thenWithRetry(
        transition({
          name: "flaky",
          run: (n: number) => {
            tries += 1;
            return tries < 3 ? fault("not yet") : n;
          },
        }),
        RetryPolicy.fixed(2, 1),
      );
    const { app, newest } = tracedApp((ingress) =>
      ingress.get("/", axon, { layers: [layer({ name: "Around", run: (_, next) => next() })] }),
    );
    const { status } = await app.get("/");
    const { nodes } = newest();

    assert.equal(status, 200);
    assert.deepEqual(
      nodes.map(({ label, depth, outcome, target, retries }) => [
        label,
        depth,
        outcome,
        target,
        retries.length,
      ]),
      [
        ["Around", 0, "next", null, 0],
        ["begin", 1, "next", null, 0],
        ["grow", 1, "jump", "again", 0],
        ["grow", 1, "next", null, 0],
        ["fork", 1, "branch", "high", 0],
        ["cap", 1, "next", null, 0],
        ["inner", 1, "next", null, 0],
        ["add", 2, "next", null, 0],
        ["flaky", 1, "next", null, 2],
      ],
    );
  });

  test("has the waits for checkpoints beside the steps, the last one behind the step that was left last", async () => {
    const runs = new MemoryRuns();
    const append = async (...entries: Parameters<MemoryRuns["append"]>) => runs.append(...entries);
    const axon = Axon.start("kept")
      .thenFn("one", () => 1)
      .thenFn("two", (n) => n + 1)
      .withPersistenceStore(Object.assign(Object.create(runs) as MemoryRuns, { append }));
    const { app, newest } = tracedApp((ingress) =>
      ingress.get("/", axon, { layers: [layer({ name: "Around", run: (_, next) => next() })] }),
    );
    const { status } = await app.get("/");
    const { nodes, run, events } = newest();
    const [around, one, two] = nodes;
    const ends = [one, two].map((node) => {
      const { from_us, waited_us } = node?.waits?.[0] ?? assert.fail();
      return from_us + waited_us;
    });

    assert.equal(status, 200);
    assert.deepEqual(
      nodes.map(({ label, waits }) => [label, waits?.map(({ reason }) => reason)]),
      [
        ["Around", undefined],
        ["one", ["checkpoint"]],
        ["two", ["checkpoint", "checkpoint"]],
      ],
    );
    for (const [at, node] of [one, two].entries())
      assert.ok((node?.entered_us ?? 0) >= (ends[at] ?? assert.fail()), "entered when the wait is over");
    assert.ok((two?.waits?.[1]?.from_us ?? 0) >= (two?.entered_us ?? 0) + (two?.duration_us ?? 0));
    assert.ok(run.duration_us >= (around?.duration_us ?? 0));
    assert.equal(events.filter(({ kind }) => kind === "waited").length, 3);
  });
});
