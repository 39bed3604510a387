import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";

import { Axon, type Report } from "framework";
import { MemoryAuditSink } from "framework/audit";
import { plainCodec } from "#core/ports/codec.js";
import type { HostRequest } from "#core/ports/host-requests.js";
import { Heartbeat } from "#runtime/hosting/heartbeat.js";
import { hearRequests } from "#runtime/hosting/host-requests.js";
import { letterErrands } from "#runtime/hosting/letter-errands.js";
import { runErrands } from "#runtime/hosting/run-errands.js";
import { DEFAULT_HOSTING, type HostedRuns, RunHost } from "#runtime/hosting/run-host.js";
import { ServedRuns } from "#runtime/hosting/served-runs.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { SqlRequests } from "#store/sql/sql-requests.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const { leaseMs } = DEFAULT_HOSTING;
const MINUTE_MS = 60_000;
let places = 0;

const passIn = async ({ tables, write }: SqlDatabase, ms: number): Promise<void> => {
  await write([{ sql: `UPDATE ${tables.request} SET until = until - $1`, values: [ms] }]);
};
const asked = (id: string, fields: Partial<HostRequest> = {}): HostRequest => ({
  ...{ id, kind: "resume", target: "run", by: "eve", reason: "repaired 😀" },
  ...fields,
});

/** A process that hears requests and has the Axon "trip", whose runs end at once. */
async function processOf(t: TestContext, database: SqlDatabase, name = "trip") {
  const runs = new SqlRuns(database, plainCodec);
  const requests = new SqlRequests(database, plainCodec);
  const sink = new MemoryAuditSink();
  const clock = new ManualClock();
  const reports: Report[] = [];
  const ran: string[] = [];
  const axon = Axon.start<number>(name)
    .withAuditSink(sink)
    .withPersistenceStore(runs, { timeoutMs: 1_000_000_000 })
    .thenFn("add", (n) => {
      ran.push("add");
      return n + 1;
    });
  const reporter = (report: Report): void => void reports.push(report);
  const hosted: HostedRuns = {
    ...{ ...DEFAULT_HOSTING, axons: [axon.definition], isReady: () => true, retainMs: 1000, clock },
    ...{ reporter, failed: () => {}, random: () => 0.5 },
  };
  const host = new RunHost(hosted);
  const letters = new SqlDeadLetters(database, plainCodec);
  const errands = new Map([
    ...runErrands(host, new ServedRuns(hosted, host)),
    ...letterErrands({
      ...{ letters, axons: [axon.definition], bus: () => host.resources },
      ...{ audit: { sink, onFailure: "log" }, clock, reporter },
    }),
  ]);
  hearRequests(host, requests, { errands, mayBegin: () => true, reporter });
  await host.begin();
  t.after(() => host.leave());
  /** Lets its time pass until something has happened. */
  const until = async (happened: () => unknown): Promise<void> => {
    while (!(await happened())) await clock.advance(leaseMs / 8);
  };
  return { runs, requests, letters, sink, host, ran, until };
}

const contract = (where: string, open: OpenDatabase): void => {
  const opened = async () => {
    places += 1;
    return open(`h${places}`);
  };

  describe(`requests to hosts in ${where}`, () => {
    test("are kept once, for one host or for any, until one host takes and answers them", async () => {
      const requests = new SqlRequests(await opened(), plainCodec);
      const payload = { name: "ok", payload: [null, { amount: 1 }] };
      const [any, own] = [asked("any", { payload }), asked("own", { host: "one" })];
      for (const request of [any, own, any, asked("other", { host: "two" })])
        await requests.ask(request, MINUTE_MS);

      assert.deepEqual(await requests.open("one", 10), [any, own]);
      assert.deepEqual(await requests.open("one", 1), [any]);
      const taken = await Promise.all(["one", "two", "three"].map((host) => requests.take("any", host)));
      assert.equal(taken.filter((isTaken) => isTaken).length, 1);
      assert.equal(await requests.take("own", "two"), false);
      assert.equal(await requests.answer("own", "two", "no"), false, "not its own");
      assert.deepEqual(await requests.state("own"), { kind: "open" });
      assert.equal(await requests.answer("own", "one", { done: true }), true);
      assert.equal(await requests.answer("own", "one", "again"), false);
      const answered = { kind: "answered", host: "one", answer: { done: true } };
      assert.deepEqual(await requests.state("own"), answered);
      assert.equal(await requests.state("none"), undefined);
    });

    test("keep what was sent with them until they are answered, and no longer", async () => {
      const database = await opened();
      const requests = new SqlRequests(database, plainCodec);
      await requests.ask(asked("a", { host: "one", payload: null }), MINUTE_MS);
      const kept = async () => {
        const rows = await database.read(`SELECT payload FROM ${database.tables.request}`, []);
        return rows.map(({ payload }) => payload);
      };
      assert.deepEqual(await requests.open("one", 10), [asked("a", { host: "one", payload: null })]);
      assert.deepEqual(await kept(), ['["null",null]']);

      await requests.answer("a", "one", { kind: "begun" });

      assert.deepEqual(await kept(), [null]);
    });

    test("are unanswered once their time is over, and never done", async () => {
      const database = await opened();
      const requests = new SqlRequests(database, plainCodec);
      await requests.ask(asked("a", { host: "one" }), MINUTE_MS);
      await requests.ask(asked("b"), MINUTE_MS);
      await passIn(database, 2 * MINUTE_MS);

      assert.deepEqual(await requests.open("one", 10), []);
      assert.equal(await requests.answer("a", "one", "late"), false);
      assert.equal(await requests.take("b", "one"), false);
      assert.deepEqual(await requests.state("a"), { kind: "unanswered" });
      await requests.forget(2 * MINUTE_MS);
      assert.deepEqual(await requests.state("a"), { kind: "unanswered" });
      await requests.forget(MINUTE_MS / 2);
      assert.equal(await requests.state("a"), undefined);
    });

    test("are carried out by one host that can, once, in the name of the actor", async (t) => {
      const database = await opened();
      const able = [await processOf(t, database), await processOf(t, database)] as const;
      const other = await processOf(t, database, "other");
      const [one, two] = able;
      const begun = { kind: "begun", at: 1, axon: "trip", version: "1.0.0", node: "trip/add" } as const;
      await one.runs.append("run", 0, [{ ...begun, input: 1, bus: {}, jumps: 0 }]);
      await one.requests.ask(asked("r"), MINUTE_MS);
      // HR1: both find it, and one takes it.
      const isAnswered = async () => (await one.requests.state("r"))?.kind === "answered";
      await Promise.all([...able, other].map(({ until }) => until(isAnswered)));
      for (const { until } of able) {
        let looks = 0;
        await until(() => ++looks > 8);
      }

      const state = await one.requests.state("r");
      assert.deepEqual(state?.kind === "answered" && state.answer, { kind: "resumed" });
      assert.deepEqual([...one.ran, ...two.ran, ...other.ran], ["add"]);
      const events = (await Promise.all(able.map(({ sink }) => sink.query()))).flat();
      assert.deepEqual(
        events.map((row) => "event" in row && [row.event.actor, row.event.action, row.event.intent]),
        [["eve", "run.resume", "repaired 😀"]],
      );
    });

    test("re-drive a dead letter in one host that has its Axon, and refuse one that is gone", async (t) => {
      const database = await opened();
      const other = await processOf(t, database, "other");
      const able = await processOf(t, database);
      const { letters, requests } = able;
      const id = "3d0f1c5e-5a53-4c8e-9a1b-1f2d3c4b5a69";
      await letters.send({
        ...{ id, kind: "step", axon: "trip", node: "trip/add", version: "1.0.0", input: 1, error: "no" },
        ...{ timeline: undefined, undone: [], failed_at: 1, attempts: 1 },
      });
      const asks = { kind: "redrive", target: id };
      await requests.ask(asked("r", asks), MINUTE_MS);
      const stateOf = async (request: string) => {
        const state = await requests.state(request);
        return state?.kind === "answered" ? state.answer : undefined;
      };
      await Promise.all([other, able].map(({ until }) => until(() => stateOf("r"))));
      await able.until(async () => (await letters.get(id)) === undefined);

      assert.deepEqual(await stateOf("r"), { kind: "begun" });
      assert.deepEqual([able.ran, other.ran], [["add"], []]);
      assert.deepEqual(
        (await able.sink.query()).map((row) => "event" in row && [row.event.actor, row.event.intent]),
        [["eve", "repaired 😀"]],
      );
      await requests.ask(asked("again", { ...asks, host: able.host.id }), MINUTE_MS);
      await able.until(() => stateOf("again"));
      assert.deepEqual(await stateOf("again"), { kind: "refused", code: "unknown" });
    });

    test("are refused with the reason by the host that they name", async (t) => {
      const { requests, host, until } = await processOf(t, await opened());
      await requests.ask(asked("a", { host: host.id, target: "none" }), MINUTE_MS);
      await requests.ask(asked("b", { host: host.id, kind: "dance" }), MINUTE_MS);
      const states = () => Promise.all(["a", "b"].map((id) => requests.state(id)));
      await until(async () => (await states()).every((state) => state?.kind === "answered"));

      assert.deepEqual(
        (await states()).map((state) => state?.kind === "answered" && state.answer),
        [
          { kind: "refused", code: "RUN_UNKNOWN" },
          { kind: "refused", code: "KIND_UNKNOWN" },
        ],
      );
    });
  });
};

describe("a host with requests", () => {
  test("carries none out again whose answer could not be kept, and keeps the answer later", async () => {
    const answers: unknown[] = [];
    let runs = 0;
    let isGone = true;
    const store = {
      open: () => [asked("a", { host: "h" })],
      take: () => assert.fail("it is taken"),
      answer: (...answer: unknown[]) => {
        if (isGone) throw new Error("gone");
        answers.push(answer);
        return true;
      },
      ask: () => {},
      state: () => undefined,
    };
    const heartbeat = new Heartbeat("h", leaseMs, []);
    const run = async () => {
      runs += 1;
      return "done";
    };
    hearRequests({ id: "h", heartbeat }, store, {
      ...{ mayBegin: () => isGone, reporter: () => {} },
      errands: new Map([["resume", { fits: async () => true, run }]]),
    });
    await heartbeat.beat();
    await new Promise(setImmediate);

    await assert.rejects(heartbeat.beat(), /gone/);
    isGone = false;
    await heartbeat.beat();
    // HR1: the answer alone is tried again.
    assert.deepEqual([runs, answers], [1, [["a", "h", "done"]]]);
  });

  test("leaves one to others at its first look, and then takes what they left", async () => {
    const looks: boolean[] = [];
    const taken: string[] = [];
    const store = {
      open: () => [asked("a")],
      take: (id: string) => taken.push(id) > 0,
      ...{ answer: () => true, ask: () => {}, state: () => undefined },
    };
    const heartbeat = new Heartbeat("h", leaseMs, []);
    const fits = async (_: HostRequest, isLeft: boolean) => {
      looks.push(isLeft);
      return isLeft;
    };
    hearRequests({ id: "h", heartbeat }, store, {
      ...{ mayBegin: () => true, reporter: () => {} },
      errands: new Map([["resume", { fits, run: async () => "done" }]]),
    });
    await heartbeat.beat();
    assert.deepEqual([looks, taken], [[false], []]);
    await heartbeat.beat();

    // HR2: by then each other host has read it.
    assert.deepEqual([looks, taken], [[false, true], ["a"]]);
  });
});

contract("SQLite", sqliteDatabases());
describe("with PostgreSQL", { skip: skipWithoutPostgres }, () => {
  contract("PostgreSQL", postgresDatabases());
});
