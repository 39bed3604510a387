import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  busKey,
  type Fault,
  Framework,
  fault,
  guard,
  header,
  isFault,
  jump,
  MemoryRuns,
  MigrationStrategy,
  param,
  pass,
  RunId,
  transition,
} from "framework";
import { TestApp } from "framework/http";
import type { Migration } from "framework/runtime";
import type { AnyAxon } from "#runtime/axon-types.js";
import { fill } from "#runtime/in-process.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { Program } from "#runtime/program.js";

const codeOf = (outcome: unknown): unknown => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return (outcome as Fault<{ readonly code: string }>).error.code;
};
const never = (): Promise<never> => new Promise(() => {});

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

      assert.equal(codeOf(await axon.resume("r")), "RUN_INCOMPATIBLE");
      assert.deepEqual(runs.read("r"), before);
      assert.equal(await old.resume("r"), "old 2");
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

    assert.equal(await axon.resume("r"), "new 200");
    assert.deepEqual(world.calls, ["reserve"]);
  });

  test("stays where it is where its input cannot be mapped", async () => {
    for (const mapInput of [() => assert.fail("odd"), () => () => 1]) {
      const strategy = MigrationStrategy.fallbackToNode("order/ship", mapInput);
      const { axon, runs } = next([{ from: "1.0.0", strategy }]);
      const outcome = await axon.resume("r");

      assert.equal(codeOf(outcome), "RUN_INCOMPATIBLE");
      const { reason } = (outcome as Fault<{ reason: string }>).error;
      assert.match(reason, /'order\/pay' could not be mapped: .*(odd|a function)/);
      assert.equal(runs.read("r").at(-1)?.kind, "checkpoint");
    }
  });

  test("goes on at the node that all fall back to", async () => {
    const strategy = MigrationStrategy.fallbackToNode("order/ship", () => "by hand");
    const { axon } = next([{ from: "1.0.0", strategy }]);

    assert.equal(await axon.resume("r"), "new by hand");
  });

  test("begins again with its first input, and what it completed is undone with the rest", async () => {
    const { begin, world } = stopped();
    const axon = begin("2.0.0", [{ from: "1.0.0", strategy: MigrationStrategy.resumeFromStart() }]).thenFn(
      "no",
      ({ n }) => fault({ kind: "no", n }),
    );

    assert.deepEqual(((await axon.resume("r")) as { error: unknown }).error, { kind: "no", n: 1 });
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

    assert.equal(codeOf(await wrong.resume("r")), "RUN_INCOMPATIBLE");
    assert.equal(await axon.resume("r"), "old 2");
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
    void second.resume("r");
    await new Promise(setImmediate);
    const again = begin("2.0.0").thenFn("charge", ({ n }) => n);

    assert.equal(runs.read("r").at(-1)?.kind, "resumed");
    assert.equal(await again.resume("r"), 1);
    assert.deepEqual(world.calls, ["reserve"]);
  });

  test("stays where it is where the Axon can no longer go on with it, whatever its version says", async () => {
    const { runs, old } = stopped();
    const start = Axon.start<number>("order").withPersistenceStore(runs);
    const other = Axon.start<number>("other").withPersistenceStore(runs);
    const noUndo = start.thenFn("reserve", (n) => ({ n })).thenFn("pay", ({ n }) => n);
    const reasonOf = async (axon: { resume(id: string): Promise<unknown> }): Promise<string> => {
      const outcome = await axon.resume("r");
      assert.equal(codeOf(outcome), "RUN_INCOMPATIBLE");
      return (outcome as Fault<{ reason: string }>).error.reason;
    };

    assert.match(await reasonOf(other), /'order' began it, not 'other'/);
    assert.match(await reasonOf(start), /no node 'order\/pay'/);
    assert.match(await reasonOf(noUndo), /no longer undo 'order\/reserve'/);
    assert.equal(await old.resume("r"), "old 2");
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
    const running = old.resume("r", undefined, abort.signal);
    await new Promise(setImmediate);
    abort.abort("enough");

    assert.equal(codeOf(await running), "RUN_ABORTED");
    assert.equal(runs.read("r").at(-1)?.kind, "ended");
    assert.deepEqual(world.undone, [{ n: 1 }]);
  });

  test("leaves a run where it is when it is aborted before it has it", async () => {
    const { old, runs } = stopped();
    const outcome = await old.resume("r", undefined, AbortSignal.abort("enough"));

    assert.equal(codeOf(outcome), "RUN_ABORTED");
    assert.equal(runs.read("r").at(-1)?.kind, "checkpoint");
    assert.equal(await old.resume("r"), "old 2");
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
      assert.equal(codeOf(await with_(fields).resume("r")), "CHECKPOINT_FAILED");
    assert.equal(await old.resume("r"), "old 2");
  });
});

describe("withPersistenceStore", () => {
  test("refuses what is no store, and options out of their range", () => {
    const axon = Axon.start("a");
    const runs = new MemoryRuns();
    for (const call of [
      () => axon.withPersistenceStore({ append: () => true } as never),
      () => axon.withPersistenceStore(runs, { checkpoint: "often" as never }),
      () => axon.withPersistenceStore(runs, { timeoutMs: 0 }),
      () => axon.withPersistenceStore(runs, { maxValueChars: 0.5 }),
    ])
      assert.throws(call, { code: "CONFIG_INVALID" });
  });

  test("ends a run whose values are larger than it keeps, with the place", async () => {
    const Note = busKey<string>()("Note");
    const kept = (maxValueChars?: number) =>
      Axon.start<number>("large")
        .withPersistenceStore(new MemoryRuns(), maxValueChars === undefined ? {} : { maxValueChars })
        .thenFn(
          "list",
          (n, bus) => {
            bus.set(Note, "n".repeat(n));
            return { lines: ["a".repeat(n)] };
          },
          { writes: [Note] },
        )
        .thenFn("count", ({ lines }, bus) => lines.length + bus.get(Note).length, { reads: [Note] });
    const refused = async (n: number, maxValueChars?: number): Promise<unknown> => {
      const outcome = await kept(maxValueChars).execute(n);
      assert.equal(codeOf(outcome), "VALUE_NOT_DURABLE");
      return (outcome as Fault<{ readonly value: string }>).error.value;
    };

    assert.equal(await kept(100).execute(50), 51);
    assert.equal(await refused(100, 100), "input.lines[0]");
    assert.equal(await kept().execute(1_000_000), 1_000_001);
    assert.equal(await refused(1_048_576), "input.lines[0]");
  });

  test("is drawn and explained at the outermost Axon, whose log is the run's", async () => {
    const [inside, outside] = [new MemoryRuns(), new MemoryRuns()];
    const inner = Axon.start<number>("inner")
      .withPersistenceStore(inside)
      .thenFn("one", (n) => n + 1);
    const axon = Axon.start<number>("outer")
      .subgraph(inner)
      .withPersistenceStore(outside, { checkpoint: "async" });
    const ingressOf = (schematic: ReturnType<typeof axon.schematic> | undefined) => schematic?.nodes[0];

    assert.deepEqual(ingressOf(inner.schematic())?.persistence, { checkpoint: "sync" });
    assert.deepEqual(ingressOf(axon.schematic())?.persistence, { checkpoint: "async" });
    const nested = axon.schematic().nodes.find(({ kind }) => kind === "Subgraph")?.schematic;
    assert.equal(ingressOf(nested)?.persistence, undefined);
    assert.match(axon.explain(), /^outer 1\.0\.0\n {2}kept: each step, while the run goes on\n {2}1 inner/);
    assert.equal(await axon.execute(1, Bus.of([[RunId, "r"]])), 2);
    assert.deepEqual([inside.read("r").length, outside.read("r").length], [0, 2]);
  });

  test("keeps the runs of a server, with the path's parameters, and neither headers nor resources", async () => {
    const runs = new MemoryRuns();
    const Db = busKey<{ readonly at: string }>()("Db");
    const world = { hangs: false };
    const axon = Axon.start("order")
      .withPersistenceStore(runs)
      .thenFn("one", () => 1)
      .thenFn("two", (n) => (world.hangs ? never() : n) as number)
      .thenFn("three", (n, bus) => [n, bus.get(param("id")), bus.get(Db).at], { reads: [param("id"), Db] });
    const ingress = Framework.http({ resources: [Db] }).get("/orders/:id", axon);
    const app = new TestApp(ingress, { Db: { at: "server" } });
    assert.deepEqual((await app.get("/orders/7")).json, [1, "7", "server"]);
    assert.deepEqual(runs.unfinished(), []);
    world.hangs = true;
    void app.get("/orders/8").catch(() => {});
    await new Promise(setImmediate);
    world.hangs = false;

    const [{ id } = { id: "" }] = runs.unfinished();
    assert.deepEqual((runs.read(id).at(-1) as { bus: unknown }).bus, { "param:id": "8" });
    assert.deepEqual(await axon.resume(id, Bus.of([[Db, { at: "here" }]])), [1, "8", "here"]);
  });

  test("keeps them behind guards and inside layers, and runs neither again", async () => {
    const runs = new MemoryRuns();
    const world = { hangs: false, fails: false, undone: [] as unknown[], calls: [] as string[] };
    const Tenant = busKey<string>()("Tenant");
    const Shift = busKey<string>()("Shift");
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .then(
        guard({
          name: "own",
          writes: [Tenant],
          run: (input, bus) => {
            world.calls.push("guard");
            bus.set(Tenant, "acme");
            return pass(input);
          },
        }),
      )
      .thenCompensated(
        transition({ name: "one", run: () => 1 }),
        ({ output }) => void world.undone.push(output),
      )
      .label("again")
      .thenFn("back", (n) => (n < 3 ? jump("again", n + 1) : n), { jumps: ["again"] })
      .thenFn("two", (n) => (world.hangs ? never() : n) as number)
      .thenFn(
        "three",
        (n, bus) => (world.fails ? fault({ kind: "no" }) : `${n} ${bus.get(Tenant)} ${bus.get(Shift)}`),
        {
          reads: [Tenant, Shift],
        },
      );
    const layers = {
      around: {
        name: "around",
        run: (_: unknown, next: () => unknown) => {
          world.calls.push("layer");
          return next();
        },
      },
    };
    // What an ingress's guard wrote is kept as well: the Axon is resumed without it.
    const shift = guard({
      name: "shift",
      writes: [Shift],
      run: (input, bus) => {
        bus.set(Shift, "night");
        return pass(input);
      },
    });
    const ingress = Framework.http({ reporter: () => {} })
      .guard(shift)
      .layer(layers.around)
      .get("/order", axon);
    const app = new TestApp(ingress, {});
    assert.equal((await app.get("/order")).text, "3 acme night");
    assert.deepEqual(runs.unfinished(), []);
    for (const fails of [false, true]) {
      world.hangs = true;
      void app.get("/order").catch(() => {});
      await new Promise(setImmediate);
      world.hangs = false;
      world.fails = fails;
      world.calls.length = 0;
      const [{ id } = { id: "" }] = runs.unfinished();
      assert.deepEqual(
        runs.read(id).map((entry) => ("jumps" in entry ? entry.jumps : entry.kind)),
        [0, 0, 1, 2, 2],
      );
      const outcome = await axon.resume(id);

      assert.deepEqual(isFault(outcome) ? outcome.error : outcome, fails ? { kind: "no" } : "3 acme night");
      assert.deepEqual([world.calls, world.undone], [[], fails ? [1] : []]);
    }
    // A run that nobody stops ends in its log too, and undoes what it did.
    world.undone.length = 0;
    assert.equal((await app.get("/order")).status, 500);
    assert.deepEqual([world.undone, runs.unfinished()], [[1], []]);
  });

  for (const checkpoint of ["sync", "async"] as const)
    test(`undoes what a layer refuses that its line has done, also after a stop: ${checkpoint}`, async () => {
      const runs = new MemoryRuns();
      const undone: string[] = [];
      const kinds = (id: string) => runs.read(id).map(({ kind }) => kind);
      const world = { stopsAt: "never" };
      const append: typeof runs.append = (id, known, entries) =>
        entries.some(({ kind }) => kind === world.stopsAt)
          ? (never() as never)
          : runs.append(id, known, entries);
      const store = Object.assign(Object.create(runs), runs, { append }) as typeof runs;
      const step = (name: string) =>
        [transition({ name, run: (n: number) => n }), () => void undone.push(name)] as const;
      const axon = Axon.start<number>("order")
        .withPersistenceStore(store, { checkpoint })
        .thenCompensated(...step("one"))
        .thenCompensated(...step("two"));
      const refusing = {
        name: "refusing",
        run: (_: unknown, next: () => unknown) => {
          const answer = next();
          return answer instanceof Promise ? answer.then(() => fault("late")) : fault("late");
        },
      };
      const passing = { name: "passing", run: (_: unknown, next: () => unknown) => next() };
      const run = async (id: string, around: readonly (typeof passing)[]): Promise<unknown> => {
        const program = new Program(axon.definition, {
          around,
          input: { run: () => 1 },
          clock: new ManualClock(),
        });
        const state = program.acquire();
        fill(state, Bus.of([[RunId, id]]) as never);
        return program.run(undefined, state);
      };

      assert.equal(await run("passed", [passing, passing]), 1);
      assert.deepEqual(kinds("passed"), ["begun", "checkpoint", "ended"]);
      for (const around of [[refusing], [passing, refusing], [refusing, passing]]) {
        const id = around.map(({ name }) => name).join();
        assert.deepEqual(await run(id, around), fault("late"));
        assert.deepEqual(kinds(id).slice(2), ["ended", "failed", "undone", "undone", "ended"]);
        assert.deepEqual(undone.splice(0), ["two", "one"]);
        assert.deepEqual(await axon.resume(id), fault("late"));
      }
      assert.deepEqual(runs.unfinished(), []);
      world.stopsAt = "undone";
      void run("stopped", [refusing]);
      await new Promise(setImmediate);
      assert.deepEqual(
        runs.unfinished().map(({ id }) => id),
        ["stopped"],
      );
      world.stopsAt = "never";
      undone.length = 0;

      assert.deepEqual(await axon.resume("stopped"), fault("late"));
      // Nobody could tell that the first was undone.
      assert.deepEqual(undone, ["two", "one"]);
      assert.deepEqual(runs.unfinished(), []);
    });

  test("says so in the log where a line is undone whose layer has answered before", async () => {
    const runs = new MemoryRuns();
    const undone: number[] = [];
    let keep = (): void => {};
    const append: typeof runs.append = (id, known, entries) =>
      entries[0]?.kind === "ended" && keep.name !== "kept"
        ? (new Promise<boolean>((resolve) => {
            keep = function kept() {
              resolve(runs.append(id, known, entries));
            };
          }) as never)
        : runs.append(id, known, entries);
    const store = Object.assign(Object.create(runs), runs, { append }) as typeof runs;
    const axon = Axon.start<number>("order")
      .withPersistenceStore(store)
      .thenCompensated(
        transition({ name: "one", run: (n: number) => n }),
        ({ output }) => void undone.push(output),
      );
    const hasty = {
      name: "hasty",
      run: (_: unknown, next: () => unknown) => {
        void next();
        return "early";
      },
    };
    const program = new Program(axon.definition, { around: [hasty], input: { run: () => 1 } });
    const state = program.acquire();
    fill(state, Bus.of([[RunId, "r"]]) as never);
    assert.equal(program.run(undefined, state), "early");
    keep();
    await new Promise(setImmediate);

    assert.deepEqual(undone, [1]);
    assert.deepEqual(
      runs.read("r").map(({ kind }) => kind),
      ["begun", "ended", "failed", "undone", "ended"],
    );
    assert.equal(codeOf(await axon.resume("r")), "RUN_ABORTED");
  });

  test("begins one run for one id, which an ingress may take from a header", async () => {
    const runs = new MemoryRuns();
    let calls = 0;
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .thenFn(
        "one",
        (_, bus) => {
          calls += 1;
          return bus.get(RunId);
        },
        { reads: [RunId] },
      );
    const ingress = Framework.http()
      .provide(RunId, (bus) => bus.get(header("idempotency-key")), { reads: [header("idempotency-key")] })
      .get("/order", axon);
    const app = new TestApp(ingress, {});
    const ask = () => app.get("/order", { headers: { "idempotency-key": "k-1" } });

    assert.deepEqual([(await ask()).text, (await ask()).status, calls], ["k-1", 409, 1]);
    assert.equal(await axon.resume("k-1"), "k-1");
  });
});
