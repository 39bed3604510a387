// Runs that are kept behind the guards and inside the layers of an ingress.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  busKey,
  Framework,
  fault,
  guard,
  header,
  isFault,
  jump,
  MemoryRuns,
  param,
  pass,
  RunId,
  transition,
} from "framework";
import { TestApp } from "framework/http";
import { fill } from "#runtime/axon/in-process.js";
import { Program } from "#runtime/compile/program.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { codeOf, never, taken } from "../support/kept-runs.js";

describe("a kept run of a server", () => {
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
    assert.deepEqual(await taken(axon, id, Bus.of([[Db, { at: "here" }]])), [1, "8", "here"]);
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
      const outcome = await taken(axon, id);

      assert.deepEqual(isFault(outcome) ? outcome.error : outcome, fails ? { kind: "no" } : "3 acme night");
      assert.deepEqual([world.calls, world.undone], [[], fails ? [1] : []]);
    }
    // A run that nobody stops ends in its log too, and undoes what it did.
    world.undone.length = 0;
    assert.equal((await app.get("/order")).status, 500);
    assert.deepEqual([world.undone, runs.unfinished()], [[1], []]);
  });

  // J4: the log is opened again.
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
        assert.deepEqual(await taken(axon, id), fault("late"));
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

      assert.deepEqual(await taken(axon, "stopped"), fault("late"));
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
              resolve(runs.append(id, known, entries) === true);
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
    assert.equal(codeOf(await taken(axon, "r")), "RUN_ABORTED");
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
    assert.equal(await taken(axon, "k-1"), "k-1");
  });
});
