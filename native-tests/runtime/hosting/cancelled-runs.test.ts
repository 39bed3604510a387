import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";

import { Axon, type Fault, MemoryRuns, type RuntimeFault, transition } from "framework";
import { plainCodec } from "#core/ports/codec.js";
import type { RunStore } from "#core/ports/run-store.js";
import { type CancelOptions, cancelRun } from "#runtime/axon/cancel.js";
import { DEFAULT_HOSTING, type HostedRuns, RunHost } from "#runtime/hosting/run-host.js";
import { ServedRuns } from "#runtime/hosting/served-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { elsewhere } from "../../support/kept-runs.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const { leaseMs } = DEFAULT_HOSTING;

/** One store, as several processes have it. */
interface Shared {
  readonly opened: () => Promise<RunStore>;
  readonly pass: (ms: number) => Promise<void>;
}

const inMemory = async (): Promise<Shared> => {
  const clock = new ManualClock();
  const runs = new MemoryRuns({ clock });
  return { opened: async () => elsewhere(runs), pass: (ms) => clock.advance(ms) };
};

let places = 0;
const inDatabase = (open: OpenDatabase) => async (): Promise<Shared> => {
  places += 1;
  const place = `c${places}`;
  const first = await open(place);
  await first.open();
  return {
    opened: async () => new SqlRuns(await open(place), plainCodec),
    pass: (ms) => passIn(first, ms),
  };
};

/** A process with the Axon "trip": it pays, then waits until its signal fires or `release` is called. */
async function processOf({ opened }: Shared, done: string[], name: string) {
  const store = await opened();
  const clock = new ManualClock();
  const releases: (() => void)[] = [];
  const pay = transition({
    name: "pay",
    run: (n: number) => {
      done.push(`${name} pays`);
      return n;
    },
  });
  const axon = Axon.start<number>("trip")
    // Its time is that of the test, which a database does not wait for.
    .withPersistenceStore(store, { timeoutMs: 1_000_000_000 })
    .thenCompensated(pay, () => void done.push(`${name} pays back`))
    .thenFn("wait", (n, { signal }) => {
      done.push(`${name} waits`);
      return new Promise<number>((resolve, reject) => {
        releases.push(() => resolve(n));
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    });
  const failures: string[] = [];
  const hosted: HostedRuns = {
    ...DEFAULT_HOSTING,
    axons: [axon.definition],
    // A process ends here by not beating: no thread does it in its place.
    maxSilenceMs: 0,
    isReady: () => true,
    retainMs: 1000,
    clock,
    reporter: () => {},
    failed: (_, { error }) => void failures.push((error as RuntimeFault).code),
    random: () => 0.5,
  };
  const host = new RunHost(hosted);
  await host.begin();
  const runs = new ServedRuns(hosted, host);
  /** Lets its time pass until something has happened. */
  const until = async (happened: () => unknown): Promise<void> => {
    while (!happened()) {
      await clock.advance(leaseMs / 8);
      // No faster than the database: hours would pass while it answers.
      await store.read("run");
      await new Promise(setImmediate);
    }
  };
  const release = (): void => {
    for (const each of releases) each();
  };
  /** Waits as long as it takes. */
  const cancel = async (options: CancelOptions = {}): Promise<unknown> => {
    let outcome: { readonly of: unknown } | undefined;
    const cancelling = cancelRun(axon.definition, "run", "late", { by: host, waitMs: Infinity, ...options });
    void cancelling.then((of) => {
      outcome = { of };
    });
    await until(() => outcome);
    return outcome?.of;
  };
  return { store, host, runs, until, release, cancel, failures };
}

const reasonOf = (outcome: unknown) => ({ ...(outcome as Fault<RuntimeFault>).error });
const CANCELLED = { code: "RUN_CANCELLED", runId: "run", reason: "late" };
const UNCERTAIN = { ...CANCELLED, uncertain: "trip/wait" };

const contract = (where: string, shared: () => Promise<Shared>): void => {
  const begun = async (t: TestContext) => {
    const place = await shared();
    const done: string[] = [];
    const [one, two] = [await processOf(place, done, "one"), await processOf(place, done, "two")];
    t.after(() => Promise.all([one.host.leave(), two.host.leave()]));
    await one.runs.start("trip", 1, { runId: "run" });
    await one.until(() => done.includes("one waits"));
    return { ...place, done, one, two };
  };

  describe(`a run of a host, in ${where},`, () => {
    test("is undone by its host after the next beat, once, where other processes cancel it twice", async (t) => {
      const { done, one, two } = await begun(t);
      const cancelling = [two.cancel(), two.cancel()];
      await one.until(() => one.failures.length > 0);

      assert.deepEqual((await Promise.all(cancelling)).map(reasonOf), [CANCELLED, CANCELLED]);
      assert.deepEqual(done, ["one pays", "one waits", "one pays back"]);
      assert.deepEqual(one.failures, ["RUN_CANCELLED"]);
      assert.deepEqual(await one.store.unfinished(), []);
    });

    test("is undone by the next host, once, where its own dies between the request and the undoing", async (t) => {
      const { done, one, two, pass } = await begun(t);

      const answer = await two.cancel({ waitMs: 0 });
      assert.deepEqual(answer, { kind: "cancelling", runId: "run" });
      await pass(2 * leaseMs);
      await two.host.heartbeat.extend();
      await two.until(() => two.failures.length > 0);
      assert.deepEqual(done, ["one pays", "one waits", "two pays back"]);
      assert.deepEqual(two.failures, ["RUN_CANCELLED"]);
      // The dead one was only slow: what it does is refused.
      one.release();
      await one.until(() => one.failures.length > 0);
      assert.deepEqual([one.failures, done.length], [["RUN_TAKEN"], 3]);
    });

    test("is undone by one of two that cancel it where its host is dead, and both say so", async (t) => {
      const { done, two, pass } = await begun(t);
      await pass(2 * leaseMs);

      const outcomes = await Promise.all([two.cancel(), two.cancel()]);
      assert.deepEqual(outcomes.map(reasonOf), [UNCERTAIN, UNCERTAIN]);
      assert.deepEqual(done, ["one pays", "one waits", "two pays back"]);
    });

    test("is not resumed by hand while its host lives, but by force", async (t) => {
      const { done, one, two } = await begun(t);

      const owned = { code: "RUN_OWNED", runId: "run" };
      assert.deepEqual(reasonOf(await two.runs.resume("run")), { ...owned, host: one.host.id });
      assert.deepEqual(reasonOf(await one.runs.resume("run")), { ...owned, host: one.host.id });
      assert.deepEqual(done, ["one pays", "one waits"]);
      const resumed = two.runs.resume("run", undefined, { force: true });
      await two.until(() => done.includes("two waits"));
      one.release();
      await one.until(() => one.failures.length > 0);
      two.release();
      assert.equal(await resumed, 1);
      assert.deepEqual(one.failures, ["RUN_TAKEN"]);
      assert.deepEqual(done, ["one pays", "one waits", "two waits"]);
    });

    test("is undone at once by force, and its host undoes nothing", async (t) => {
      const { done, one, two } = await begun(t);

      const outcome = await two.cancel({ force: true });
      assert.deepEqual(reasonOf(outcome), UNCERTAIN);
      one.release();
      await one.until(() => one.failures.length > 0);
      assert.deepEqual(one.failures, ["RUN_TAKEN"]);
      assert.deepEqual(done, ["one pays", "one waits", "two pays back"]);
    });

    test("that is at work no more is undone by its host at its second beat", async (t) => {
      const { done, two } = await begun(t);
      const { store } = two;
      const entries = (await store.read("run")).length;
      const [first] = await store.read("run");
      // As after a failed append: the host owns it, and it is not at work.
      await store.append("run", entries, [{ ...first, kind: "resumed" } as never], two.host.id);
      await store.requestCancel?.("run", { reason: "late", at: 1 });
      await two.until(() => two.failures.length > 0);

      assert.deepEqual(two.failures, ["RUN_CANCELLED"]);
      assert.deepEqual(done, ["one pays", "one waits", "two pays back"]);
    });
  });
};

contract("memory", inMemory);
contract("SQLite", inDatabase(sqliteDatabases()));
describe("with PostgreSQL", { skip: skipWithoutPostgres }, () => {
  contract("PostgreSQL", inDatabase(postgresDatabases()));
});
