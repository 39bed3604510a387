import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, type Fault, fault, MemoryRuns, MigrationStrategy, RunId, transition } from "framework";
import type { Migration } from "framework/runtime";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { codeOf, never, taken } from "../../support/kept-runs.js";

/** An Axon of version 1 with a run that has stopped in its second step. */
const stopped = () => {
  const runs = new MemoryRuns();
  const world = { hangs: true, undone: [] as unknown[], calls: [] as string[] };
  const reserve = transition({
    name: "reserve",
    run: (n: number) => {
      world.calls.push("reserve");
      return { n };
    },
  });
  const undo = ({ output }: { output: unknown }): void => void world.undone.push(output);
  const begin = (version: string, migrations: readonly Migration[] = []) =>
    Axon.start<number>("order")
      .withVersion(version)
      .withPersistenceStore(runs, { migrations })
      .thenCompensated(reserve, undo);
  const old = begin("1.0.0")
    .thenFn("pay", ({ n }) => (world.hangs ? never() : n + 1) as number)
    .thenFn("ship", (n) => `old ${n}`);
  void old.execute(1, Bus.of([[RunId, "r"]]));
  world.hangs = false;
  return { runs, world, old, begin };
};

/** Version 2: what was "pay" is "charge", and takes cents. */
const next = (migrations: readonly Migration[], pay = "charge") => {
  const arranged = stopped();
  const axon = arranged
    .begin("2.0.0", migrations)
    .thenFn(pay, ({ n }) => n * 100)
    .thenFn("ship", (n) => `new ${n}`) as unknown as AnyAxon;
  return { ...arranged, axon };
};

describe("a run of another version", () => {
  test("stays where it is unless a migration fits", async () => {
    const from = "1.0.0";
    for (const migrations of [
      [],
      [{ from, strategy: MigrationStrategy.fail() }],
      [{ from: "0.9.0", strategy: MigrationStrategy.resumeFromStart() }],
      [{ from, strategy: MigrationStrategy.migrateActiveNode("order/ship", "order/ship") }],
      [{ from, strategy: MigrationStrategy.fallbackToNode("order/nowhere") }],
    ]) {
      const { axon, runs, old } = next(migrations);
      const before = runs.read("r");

      assert.equal(codeOf(await taken(axon, "r")), "RUN_INCOMPATIBLE");
      assert.deepEqual(runs.read("r"), before);
      assert.equal(await taken(old, "r"), "old 2");
    }
  });

  test("goes on at the node that took the place of its own, with the input that it takes", async () => {
    const renamed = MigrationStrategy.migrateActiveNode("order/pay", "order/charge", (input, node) => {
      assert.equal(node, "order/pay");
      return { n: (input as { n: number }).n + 1 };
    });
    const { axon, world } = next([
      { from: "1.0.0", strategy: MigrationStrategy.migrateActiveNode("order/ship", "order/charge") },
      { from: "1.0.0", strategy: renamed },
      { from: "1.0.0", strategy: MigrationStrategy.resumeFromStart() },
    ]);

    assert.equal(await taken(axon, "r"), "new 200");
    assert.deepEqual(world.calls, ["reserve"]);
  });

  test("stays where it is where its input cannot be mapped", async () => {
    for (const mapInput of [() => assert.fail("odd"), () => () => 1]) {
      const strategy = MigrationStrategy.fallbackToNode("order/ship", mapInput);
      const { axon, runs } = next([{ from: "1.0.0", strategy }]);
      const outcome = await taken(axon, "r");

      assert.equal(codeOf(outcome), "RUN_INCOMPATIBLE");
      const { reason } = (outcome as Fault<{ reason: string }>).error;
      assert.match(reason, /'order\/pay' could not be mapped: .*(odd|a function)/);
      assert.equal(runs.read("r").at(-1)?.kind, "checkpoint");
    }
  });

  test("goes on at the node that all fall back to", async () => {
    const strategy = MigrationStrategy.fallbackToNode("order/ship", () => "by hand");
    const { axon } = next([{ from: "1.0.0", strategy }]);

    assert.equal(await taken(axon, "r"), "new by hand");
  });

  test("begins again with its first input, and what it completed is undone with the rest", async () => {
    const { begin, world } = stopped();
    const axon = begin("2.0.0", [{ from: "1.0.0", strategy: MigrationStrategy.resumeFromStart() }]).thenFn(
      "no",
      ({ n }) => fault({ kind: "no", n }),
    );

    assert.deepEqual(((await taken(axon, "r")) as { error: unknown }).error, { kind: "no", n: 1 });
    assert.deepEqual(world.calls, ["reserve", "reserve"]);
    assert.deepEqual(world.undone, [{ n: 1 }, { n: 1 }]);
  });

  test("is brought to its end by the old Axon where that is kept", async () => {
    const { begin, old, runs } = stopped();
    const strategy = MigrationStrategy.completeOnOldVersion(old as unknown as AnyAxon);
    const axon = begin("2.0.0", [{ from: "1.0.0", strategy }]);
    const wrong = begin("2.0.0", [
      {
        from: "1.0.0",
        strategy: MigrationStrategy.completeOnOldVersion(old.withVersion("1.1.0") as unknown as AnyAxon),
      },
    ]);

    assert.equal(codeOf(await taken(wrong, "r")), "RUN_INCOMPATIBLE");
    assert.equal(await taken(axon, "r"), "old 2");
    assert.equal(
      (runs.read("r").find(({ kind }) => kind === "resumed") as { version: string }).version,
      "1.0.0",
    );
    assert.throws(() => MigrationStrategy.completeOnOldVersion(Axon.start("a") as unknown as AnyAxon), {
      code: "CONFIG_INVALID",
    });
  });

  test("is of the version that went on with it from then on", async () => {
    const { begin, world, runs } = stopped();
    const strategy = MigrationStrategy.migrateActiveNode("order/pay", "order/charge");
    const second = begin("2.0.0", [{ from: "1.0.0", strategy }]).thenFn("charge", () => never() as never);
    void taken(second, "r");
    await new Promise(setImmediate);
    const again = begin("2.0.0").thenFn("charge", ({ n }) => n);

    assert.equal(runs.read("r").at(-1)?.kind, "resumed");
    assert.equal(await taken(again, "r"), 1);
    assert.deepEqual(world.calls, ["reserve"]);
  });

  // RE2: nothing is touched before the claim.
  test("stays where it is where the Axon can no longer go on with it, whatever its version says", async () => {
    const { runs, old } = stopped();
    const start = Axon.start<number>("order").withPersistenceStore(runs);
    const other = Axon.start<number>("other").withPersistenceStore(runs);
    const noUndo = start.thenFn("reserve", (n) => ({ n })).thenFn("pay", ({ n }) => n);
    const reasonOf = async (axon: { resume(id: string): Promise<unknown> }): Promise<string> => {
      const outcome = await taken(axon, "r");
      assert.equal(codeOf(outcome), "RUN_INCOMPATIBLE");
      return (outcome as Fault<{ reason: string }>).error.reason;
    };

    assert.match(await reasonOf(other), /'order' began it, not 'other'/);
    assert.match(await reasonOf(start), /no node 'order\/pay'/);
    assert.match(await reasonOf(noUndo), /no longer undo 'order\/reserve'/);
    assert.equal(await taken(old, "r"), "old 2");
  });
});

describe("axon.resume", () => {
  test("is refused by an Axon that keeps no runs", async () => {
    await assert.rejects(Axon.start("a").resume("r"), {
      code: "CONFIG_INVALID",
      message: /give it a store by withPersistenceStore/,
    });
  });

  test("is aborted by its signal, and lets go of it", async () => {
    const { old, world, runs } = stopped();
    world.hangs = true;
    const abort = new AbortController();
    const running = taken(old, "r", undefined, abort.signal);
    await new Promise(setImmediate);
    abort.abort("enough");

    assert.equal(codeOf(await running), "RUN_ABORTED");
    assert.equal(runs.read("r").at(-1)?.kind, "ended");
    assert.deepEqual(world.undone, [{ n: 1 }]);
  });

  test("leaves a run where it is when it is aborted before it has it", async () => {
    const { old, runs } = stopped();
    const outcome = await taken(old, "r", undefined, AbortSignal.abort("enough"));

    assert.equal(codeOf(outcome), "RUN_ABORTED");
    assert.equal(runs.read("r").at(-1)?.kind, "checkpoint");
    assert.equal(await taken(old, "r"), "old 2");
  });

  test("answers CHECKPOINT_FAILED where the store cannot be read, holds no log, or refuses to answer the claim", async () => {
    const { old, runs } = stopped();
    const with_ = (fields: object): AnyAxon =>
      old.withPersistenceStore(Object.assign(Object.create(runs), runs, fields), { timeoutMs: 5 }) as never;
    for (const fields of [
      { read: () => assert.fail("away") },
      { read: never },
      { read: () => [{ kind: "ended" }] },
      { read: () => [...runs.read("r"), ...runs.read("r")] },
      { read: () => runs.read("r").map((entry) => ({ ...entry, input: { $: ["moon"] } })) },
      { read: () => [...runs.read("r"), { kind: "ended", at: 1, output: { $: ["moon"] } }] },
      { append: () => Promise.reject(new Error("away")) },
    ])
      assert.equal(codeOf(await taken(with_(fields), "r")), "CHECKPOINT_FAILED");
    assert.equal(await taken(old, "r"), "old 2");
  });
});
