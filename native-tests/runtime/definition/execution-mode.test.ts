import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, ExecutionMode, FencingToken, MemoryLocks } from "framework";
import { AxonTestKit } from "framework/runtime";

const once = ExecutionMode.singleton("billing", 30_000, new MemoryLocks());

describe("ExecutionMode.singleton", () => {
  test("refuses a lock without a name, a time that no timer can keep, and what is no provider", () => {
    const locks = new MemoryLocks();
    for (const ttlMs of [0, -1, Number.NaN, 2 ** 31])
      assert.throws(() => ExecutionMode.singleton("k", ttlMs, locks), { code: "CONFIG_INVALID" });
    assert.throws(() => ExecutionMode.singleton("", 1, locks), { code: "CONFIG_INVALID" });
    assert.throws(() => ExecutionMode.singleton("k", 1, { acquire: () => undefined } as never), {
      code: "CONFIG_INVALID",
      message: /no function 'renew'/,
    });
  });

  test("is drawn at the Ingress of its Axon, inside others too, and explained", () => {
    const inner = Axon.start<number>("inner").withExecutionMode(once);
    const axon = Axon.start<number>("outer")
      .thenFn("turn", (n) => (n > 1 ? branch("side", n) : n), { branches: ["side"] })
      .branch("side", inner)
      .subgraph(inner);
    const drawn = { kind: "singleton", lock_key: "billing", ttl_ms: 30_000 };
    const { nodes, edges } = axon.schematic();
    const modeOf = (id: string) => nodes.find((node) => node.id === id)?.execution_mode;
    const nested = nodes.find(({ kind }) => kind === "Subgraph")?.schematic;

    assert.deepEqual(inner.schematic().nodes[0]?.execution_mode, drawn);
    assert.equal(modeOf("outer:in"), undefined);
    assert.deepEqual(modeOf("outer/turn:side:in"), drawn);
    assert.ok(edges.some(({ to, kind }) => to === "outer/turn:side:in" && kind === "Branch"));
    assert.deepEqual(nested?.nodes[0]?.execution_mode, drawn);
    assert.match(inner.explain(), /^inner 1\.0\.0\n {2}once at a time: lock billing, 30000 ms\n/);
    assert.match(axon.explain(), /side: inner {2}once at a time: lock billing, 30000 ms\n/);
    assert.match(axon.explain(), /2 inner {2}an Axon of its own, once at a time: lock billing, 30000 ms/);
  });

  test("provides the token to steps before and behind the call, and to no others", async () => {
    const token = Axon.start<number>("a")
      .thenFn("before", (_, bus) => bus.get(FencingToken), { reads: [FencingToken] })
      .withExecutionMode(once)
      .thenFn("behind", (before, bus) => before === bus.get(FencingToken), { reads: [FencingToken] });

    assert.equal(await token.execute(1), true);
    const { outcome, bus } = await new AxonTestKit().run(token, 1);
    assert.equal(outcome, true);
    assert.ok((bus.find(FencingToken) ?? 0) > 0);
    assert.throws(() => token.withExecutionMode(ExecutionMode.local()).execute(1), {
      code: "KEYS_UNPROVIDED",
    });
  });

  test("holds for executeFrom, whose lock is given back", async () => {
    const axon = Axon.start<number>("a")
      .withExecutionMode(once)
      .thenFn("one", (n) => n)
      .thenFn("two", (n, bus) => n + Math.sign(bus.get(FencingToken)), { reads: [FencingToken] });

    assert.equal(axon.executeFrom("a/two", 1), 2);
    assert.equal(axon.executeFrom("a/two", 2), 3);
  });
});
