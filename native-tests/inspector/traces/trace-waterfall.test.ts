import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, fault, jump, layer, RetryPolicy, transition } from "framework";
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
});
