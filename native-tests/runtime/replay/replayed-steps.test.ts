import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Bus } from "#core/bus/bus.js";
import { type AnyKey, busKey } from "#core/bus/bus-key.js";
import { branch, fault, isFault, jump, pass } from "#core/bus/outcome.js";
import { guard } from "#core/flow/guard.js";
import { synapse } from "#core/flow/synapse.js";
import { transition } from "#core/flow/transition.js";
import { RunId, type RunStore } from "#core/ports/run-store.js";
import {
  Axon,
  ExecutionMode,
  MemoryLocks,
  MemoryRuns,
  RetryPolicy,
  replayRun,
  type StoredRun,
} from "#runtime/index.js";
import { allowEffects } from "#runtime/replay/refused-effects.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { until } from "../../support/patience.js";

after(allowEffects);

const Db = busKey<{ readonly save: (n: number) => string }>()("Db");
const Rate = busKey<number>()("Rate");

/** Runs it once, and returns its log. */
async function logOf(
  axon: { execute(input: number, bus: Bus): unknown },
  store: RunStore,
  ...values: readonly (readonly [AnyKey, unknown])[]
): Promise<StoredRun> {
  await axon.execute(1, Bus.of([[RunId, "r1"], ...values] as never));
  return { run_id: "r1", entries: await store.read("r1") };
}

const plus = (by: number) => transition({ name: "plus", pure: true, run: (n: number) => n + by });

test("a Synapse never runs, and a step behind it does", async () => {
  let calls = 0;
  const asks = (store: RunStore) =>
    Axon.start("asks", Type.Number())
      .withPersistenceStore(store)
      .then(
        synapse({
          name: "ask",
          call: (n: number) => {
            calls += 1;
            return n * 10;
          },
        }),
      )
      .then(plus(1));
  const store = new MemoryRuns();
  const run = await logOf(asks(store), store);
  const replayed = await replayRun(asks(new MemoryRuns()), run);
  assert.deepEqual([replayed.kind, replayed.ran, replayed.given], ["same", ["asks/plus"], ["asks/ask"]]);
  assert.equal(calls, 1);
});

test("parallel steps of which one may not run give their outcome back as a whole", async () => {
  // RX1: what this tries.
  const saved: number[] = [];
  const both = (store: RunStore, by = 1) =>
    Axon.start("both", Type.Number())
      .withPersistenceStore(store)
      .parallel(
        [plus(by), transition({ name: "save", reads: [Db], run: (n: number, bus) => bus.get(Db).save(n) })],
        "AllMustSucceed",
        ([sum, id]) => ({ sum, id }),
        { name: "all" },
      )
      .then(transition({ name: "last", run: ({ sum }: { readonly sum: number }) => sum }));
  const store = new MemoryRuns();
  const db = { save: (n: number) => `row ${saved.push(n)}` };
  const run = await logOf(both(store), store, [Db, db]);
  const replayed = await replayRun(both(new MemoryRuns(), 5), run);
  assert.deepEqual([replayed.kind, replayed.ran, replayed.given], ["same", ["both/last"], ["both/all"]]);
  assert.deepEqual(saved, [1]);
});

test("an effect of which one outcome could not be stored is given back with its part, not with its next outcome", async () => {
  const tried = (store: RunStore) => {
    let tries = 0;
    const ask = (): unknown => {
      tries += 1;
      return tries === 1 ? fault("odd") : `answer ${tries}`;
    };
    const inner = Axon.start<number>("inner").then(transition({ name: "ask", effect: true, run: ask }));
    return Axon.start<number>("twice")
      .withPersistenceStore(store)
      .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0))
      .then(transition({ name: "last", run: (answer: unknown) => answer }));
  };
  const store = new MemoryRuns();
  const run = await logOf(tried(store), store);
  const kept = run.entries[1]?.effects ?? [];
  assert.equal(kept.length, 2);
  const entries = run.entries.map((entry) =>
    entry.effects === undefined
      ? entry
      : { ...entry, effects: [{ node: "twice/inner/ask" }, ...entry.effects.slice(1)] },
  );
  const replayed = await replayRun(tried(new MemoryRuns()), { ...run, entries });
  assert.deepEqual([replayed.kind, replayed.given], ["same", ["twice/inner"]]);
});

test("a guard that asks a resource passes again, and refuses again", async () => {
  const guards = (store: RunStore) =>
    Axon.start("guards", Type.Number())
      .withPersistenceStore(store)
      .then(transition({ name: "wrap", pure: true, run: (n: number) => ({ n }) }))
      .then(
        guard({
          name: "open",
          reads: [Db],
          run: (input, bus) => (bus.get(Db).save(0) === "yes" ? pass(input) : fault({ code: "CLOSED" })),
        }),
      )
      .then(transition({ name: "last", run: ({ n }: { readonly n: number }) => n }));
  for (const [answer, kind] of [
    ["yes", "guards/last"],
    ["no", undefined],
  ] as const) {
    const store = new MemoryRuns();
    const run = await logOf(guards(store), store, [Db, { save: () => answer }]);
    const replayed = await replayRun(guards(new MemoryRuns()), run);
    assert.deepEqual([replayed.kind, replayed.given, replayed.ran[1]], ["same", ["guards/open"], kind]);
  }
});

test("a step that is an object of a class runs with its own state and declarations", async () => {
  class Plus {
    readonly #by: number;
    constructor(by: number) {
      this.#by = by;
    }
    get name(): string {
      return "plus";
    }
    get pure(): true {
      return true;
    }
    run(n: number): number {
      return n + this.#by;
    }
  }
  const adds = (store: RunStore, by: number) =>
    Axon.start("adds", Type.Number()).withPersistenceStore(store).then(new Plus(by));
  const store = new MemoryRuns();
  const run = await logOf(adds(store, 1), store);
  const same = await replayRun(adds(new MemoryRuns(), 1), run);
  assert.deepEqual([same.kind, same.ran], ["same", ["adds/plus"]]);
  assert.equal((await replayRun(adds(new MemoryRuns(), 2), run)).kind, "differs");
});

test("an effect writes on the Bus what the log has of it, and deletes what the log has no longer", async () => {
  const Kept = busKey<number>()("Kept");
  const Gone = busKey<number>()("Gone");
  const writes = (store: RunStore, by = 0) =>
    Axon.start("writes", Type.Number())
      .withPersistenceStore(store)
      .then(
        transition({
          name: "first",
          pure: true,
          writes: [Gone],
          run: (n: number, bus) => {
            bus.set(Gone, n);
            return n;
          },
        }),
      )
      .then(
        transition({
          name: "act",
          effect: true,
          writes: [Kept],
          deletes: [Gone],
          run: (n: number, bus) => {
            bus.set(Kept, 40);
            bus.delete(Gone);
            return n;
          },
        }),
      )
      .then(
        transition({
          name: "last",
          pure: true,
          reads: [Kept],
          mayRead: [Gone],
          run: (_: number, bus) => [bus.get(Kept) + by, bus.find(Gone) ?? "gone"],
        }),
      );
  const store = new MemoryRuns();
  const run = await logOf(writes(store), store);
  assert.equal((await replayRun(writes(new MemoryRuns()), run)).kind, "same");
  const differs = await replayRun(writes(new MemoryRuns(), 2), run);
  assert.ok(differs.kind === "differs");
  assert.deepEqual([differs.difference.pointer, differs.difference.now], ["/0", 42]);
});

test("an effect jumps again to where it jumped", async () => {
  const loop = (store: RunStore) =>
    Axon.start("loop", Type.Number())
      .withPersistenceStore(store)
      .label("again")
      .then(plus(1))
      .then(
        transition({
          name: "decide",
          effect: true,
          jumps: ["again"],
          run: (n: number) => (n < 4 ? jump("again", n) : n),
        }),
      )
      .then(transition({ name: "last", run: (n: number) => n }));
  const store = new MemoryRuns();
  const run = await logOf(loop(store), store);
  const replayed = await replayRun(loop(new MemoryRuns()), run);
  assert.equal(replayed.kind, "same");
  assert.equal(replayed.ran.filter((node) => node === "loop/plus").length, 3);
});

test("a run that another version took over is replayed from there", async () => {
  const axon = (store: RunStore) =>
    Axon.start("moved", Type.Number())
      .withVersion("2.0.0")
      .withPersistenceStore(store)
      .then(plus(1))
      .then(transition({ name: "last", run: (n: number) => n * 2 }));
  const there = { bus: {}, jumps: 0, input: 5 };
  const replayed = await replayRun(axon(new MemoryRuns()), {
    run_id: "r1",
    entries: [
      { kind: "begun", at: 1, axon: "moved", version: "1.0.0", node: "moved/gone", ...there },
      { kind: "resumed", at: 2, version: "2.0.0", node: "moved/last", ...there },
      { kind: "ended", at: 3, output: 10 },
    ],
  });
  assert.deepEqual([replayed.kind, replayed.ran], ["same", ["moved/last"]]);
});

test("a branch that an effect took is taken again", async () => {
  const forks = (store: RunStore, by = 100) =>
    Axon.start("forks", Type.Number())
      .withPersistenceStore(store)
      .then(
        transition({
          name: "choose",
          effect: true,
          branches: ["large"],
          run: (n: number) => branch("large", n + 1),
        }),
      )
      .branch("large", Axon.start<number>("large").then(plus(by)))
      .then(transition({ name: "last", run: (n: number) => n }));
  const store = new MemoryRuns();
  const run = await logOf(forks(store), store);
  const same = await replayRun(forks(new MemoryRuns()), run);
  assert.deepEqual([same.kind, same.ran], ["same", ["forks/choose:large/plus", "forks/last"]]);
  const differs = await replayRun(forks(new MemoryRuns(), 7), run);
  assert.ok(differs.kind === "differs");
  assert.deepEqual(
    [differs.difference.node, differs.difference.stored, differs.difference.now],
    ["forks/choose:large/plus", 102, 9],
  );
});

test("the failure of an effect is given back, and no compensation runs", async () => {
  // RX2: what this tries.
  let undone = 0;
  const saga = (store: RunStore) =>
    Axon.start("saga", Type.Number())
      .withPersistenceStore(store)
      .thenCompensated(transition({ name: "book", pure: true, run: (n: number) => n }), () => {
        undone += 1;
      })
      .then(transition({ name: "pay", effect: true, run: () => fault({ code: "NO_MONEY" }) }));
  const store = new MemoryRuns();
  const run = await logOf(saga(store), store);
  assert.equal(undone, 1);
  const replayed = await replayRun(saga(new MemoryRuns()), run);
  assert.deepEqual([replayed.kind, replayed.given], ["same", ["saga/pay"]]);
  assert.equal(undone, 1);
});

test("a retry of a subgraph waits for nothing, and a lock is taken nowhere", async () => {
  const locks = new MemoryLocks();
  let tries = 0;
  const inner = () =>
    Axon.start<number>("inner").then(
      transition({
        name: "flaky",
        pure: true,
        run: (n: number) => {
          tries += 1;
          return tries % 2 === 1 ? fault({ code: "AGAIN" }) : n;
        },
      }),
    );
  const locked = (store: RunStore, delayMs: number) =>
    Axon.start("locked", Type.Number())
      .withPersistenceStore(store)
      .withExecutionMode(ExecutionMode.singleton("lock", 60_000, locks))
      .thenWithRetry(inner().asTransition(), RetryPolicy.fixed(2, delayMs));
  const store = new MemoryRuns();
  const run = await logOf(locked(store, 0), store);
  const lease = await locks.acquire("lock", 60_000);
  assert.ok(lease);
  const replayed = await replayRun(locked(new MemoryRuns(), 600_000), run);
  assert.equal(replayed.kind, "same");
});

test("a value that the log has not is given by the caller, or named", async () => {
  const rated = (store: RunStore) =>
    Axon.start("rated", Type.Number())
      .withPersistenceStore(store)
      .then(plus(1))
      .then(
        transition({ name: "rate", pure: true, reads: [Rate], run: (n: number, bus) => n * bus.get(Rate) }),
      );
  const store = new MemoryRuns();
  const run = await logOf(rated(store), store, [Rate, 3]);
  const refused = await replayRun(rated(new MemoryRuns()), run);
  assert.deepEqual(refused, {
    ...{ kind: "refused", code: "REPLAY_UNKEPT", node: "rated/rate" },
    reason: "it reads 'Rate', which the log has not: give it by --set Rate=JSON",
    ...{ ran: ["rated/plus"], given: [] },
  });
  const same = await replayRun(rated(new MemoryRuns()), run, { set: { Rate: 3 } });
  assert.deepEqual([same.kind, same.ran], ["same", ["rated/plus", "rated/rate"]]);
});

test("runs whose steps have no checkpoints are refused", async () => {
  const axon = (store: RunStore, checkpoint: "sync" | "none" | "async") =>
    Axon.start("mode", Type.Number()).withPersistenceStore(store, { checkpoint }).then(plus(1));
  const store = new MemoryRuns();
  const run = await logOf(axon(store, "async"), store);
  const replayed = await replayRun(axon(new MemoryRuns(), "sync"), run);
  assert.ok(replayed.kind === "refused");
  assert.equal(replayed.code, "REPLAY_REFUSED");
  assert.match(replayed.reason, /'async'/);
});

test("a log that ends before its run does is the same up to there", async () => {
  // RJ2: what this tries.
  const axon = (store: RunStore) =>
    Axon.start("cut", Type.Number())
      .withPersistenceStore(store)
      .then(plus(1))
      .then(transition({ name: "last", run: (n: number) => n }));
  const store = new MemoryRuns();
  const { run_id, entries } = await logOf(axon(store), store);
  const replayed = await replayRun(axon(new MemoryRuns()), { run_id, entries: entries.slice(0, 2) });
  assert.deepEqual([replayed.kind, "isWhole" in replayed && replayed.isWhole], ["same", false]);
});

test("what an export has masked differs from nothing, and neither does what is made of it", async () => {
  const greets = (store: RunStore, ending = ".") =>
    Axon.start("greets", Type.Number())
      .withPersistenceStore(store)
      .then(transition({ name: "load", effect: true, run: () => ({ name: "Ann", age: 40, city: "Ulm" }) }))
      .then(
        transition({
          name: "greet",
          run: ({
            name,
            age,
            city,
          }: {
            readonly name: string;
            readonly age: number;
            readonly city: string;
          }) => ({
            text: `Dear ${name}`,
            next: age + 1,
            city: `${city}${ending}`,
          }),
        }),
      );
  const store = new MemoryRuns();
  const { run_id, entries } = await logOf(greets(store), store);
  const masked = JSON.parse(
    JSON.stringify(entries).replaceAll('"Ann"', '"[redacted]"').replaceAll('"age":40', '"age":"[redacted]"'),
  ) as StoredRun["entries"];
  const same = await replayRun(greets(new MemoryRuns()), { run_id, entries: masked });
  assert.equal(same.kind, "same");
  const differs = await replayRun(greets(new MemoryRuns(), "!"), { run_id, entries: masked });
  assert.ok(differs.kind === "differs");
  assert.equal(differs.difference.pointer, "/city");
});

test("a damaged log and a run of another Axon are refused with the reason", async () => {
  const axon = Axon.start("one", Type.Number()).withPersistenceStore(new MemoryRuns()).then(plus(1));
  const damaged = await replayRun(axon, { run_id: "r1", entries: [{ kind: "begun" } as never] });
  assert.ok(damaged.kind === "refused");
  assert.equal(damaged.code, "REPLAY_UNREADABLE");
  const store = new MemoryRuns();
  const other = Axon.start("two", Type.Number()).withPersistenceStore(store).then(plus(1));
  const foreign = await replayRun(axon, await logOf(other, store));
  assert.ok(foreign.kind === "refused");
  assert.equal(foreign.reason, "it is a run of Axon 'two'");
});

test("effects inside parallel steps have outcomes of their own, and the steps beside them run", async () => {
  const saved: number[] = [];
  const both = (store: RunStore, by = 1) =>
    Axon.start("both", Type.Number())
      .withPersistenceStore(store)
      .parallel(
        [
          plus(by),
          transition({
            name: "save",
            effect: true,
            reads: [Db],
            run: (n: number, bus) => bus.get(Db).save(n),
          }),
          transition({ name: "fails", effect: true, run: () => fault({ code: "LOST" }) }),
        ],
        "AnyCanFail",
        ([sum, id, lost]) => ({ sum, id, lost: isFault(lost) }),
        { name: "all" },
      );
  const store = new MemoryRuns();
  const db = { save: (n: number) => `row ${saved.push(n)}` };
  const run = await logOf(both(store), store, [Db, db]);
  const same = await replayRun(both(new MemoryRuns()), run);
  assert.deepEqual([same.kind, same.given], ["same", ["both/all/save", "both/all/fails"]]);
  assert.ok(same.ran.includes("both/all/plus"));
  const differs = await replayRun(both(new MemoryRuns(), 5), run);
  assert.ok(differs.kind === "differs");
  assert.deepEqual(
    [differs.difference.node, differs.difference.pointer, differs.difference.now],
    ["both/all", "/sum", 6],
  );
  assert.deepEqual(saved, [1]);
});

test("an effect inside parallel steps whose outcome is not in the log makes them give theirs as a whole", async () => {
  const both = (store: RunStore, effect: { readonly effect?: true }) =>
    Axon.start("both", Type.Number())
      .withPersistenceStore(store)
      .parallel(
        [plus(1), transition({ name: "load", ...effect, run: (n: number) => n * 2 })],
        "AllMustSucceed",
        ([a, b]) => a + b,
        { name: "all" },
      );
  const store = new MemoryRuns();
  const run = await logOf(both(store, {}), store);
  const replayed = await replayRun(both(new MemoryRuns(), { effect: true }), run);
  assert.deepEqual([replayed.kind, replayed.given], ["same", ["both/all"]]);
});

test("a step that never ends is refused after its time", async () => {
  const { clock, axon } = { clock: new ManualClock(), axon: Axon.start("hangs", Type.Number()) };
  const hangs = (store: RunStore, wait: boolean) =>
    axon
      .withPersistenceStore(store)
      .then(transition({ name: "wait", run: (n: number) => (wait ? new Promise<number>(() => {}) : n) }));
  const store = new MemoryRuns();
  const run = await logOf(hangs(store, false), store);
  const replaying = replayRun(hangs(new MemoryRuns(), true), run, { clock, maxMs: 5000 });
  await until("the run has begun", () => clock.timers > 0);
  await clock.advance(5000);
  const replayed = await replaying;
  assert.ok(replayed.kind === "refused");
  assert.deepEqual([replayed.node, replayed.reason], ["hangs/wait", "it has not ended within 5000 ms"]);
});
