import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, type Recorder, transition } from "framework";
import type { WatchedNode } from "framework/core";

import { enclosingNodes } from "#inspector/breakpoints/enclosing-nodes.js";
import { Program } from "#runtime/compile/program.js";

describe("the subgraphs that nodes stand in", () => {
  test("are all that a run comes to and its circuit does not list", async () => {
    const inner = Axon.start<number>("in%/ner").thenFn("say", (n) => n);
    const deep = Axon.start<number>("deep").subgraph(inner);
    const vip = Axon.start<number>("vip")
      .thenFn("thank", (n) => n)
      .subgraph(inner);
    const axon = Axon.start<number>("a:b")
      .subgraph(deep)
      .subgraph(deep)
      .parallel(
        [transition({ name: "x", run: (n: number) => n }), inner.asTransition()],
        "AllMustSucceed",
        () => 1,
      )
      .thenFn("rate", (n) => branch("vip", n), { branches: ["vip"] })
      .branch("vip", vip);
    const seen = new Set<string>();
    let listed: readonly WatchedNode[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => {
        listed = circuit.nodes;
        circuit.watch({ kind: "all" });
      },
      beforeNode: (_, node, input) => {
        seen.add(node);
        return input;
      },
    };
    const program = new Program(axon.definition, { recorder });
    await program.run(1, program.acquire());
    const found = enclosingNodes(listed);

    assert.ok(found.length >= 6, "several");
    assert.deepEqual([...listed, ...found].map(({ id }) => id).sort(), [...seen].sort());
    assert.deepEqual([...new Set(found.map(({ label }) => label))].sort(), ["deep", "in%/ner"]);
  });
});
