// Runs that wait, of servers whose clocks are apart, which are halted and killed, and whose store is
// away: none is lost, none wakes up twice or before its time.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";

import { until } from "../../support/patience.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { type DoneStep, doneIn, type WaitingServer, waitingServer } from "../../support/waiting-driver.js";

const LEASE_MS = 1000;
const APART_MS = 30_000;
/** Of waiting-server.ts. */
const NAP_MS = 400;
const MANY = 500;
const FEW = 20;

const folder = mkdtempSync(join(tmpdir(), "waiting-"));
const servers: WaitingServer[] = [];
let places = 0;
let postgres: Promise<PostgresServer> | undefined;
after(async () => {
  await (await postgres)?.stop();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end("SIGKILL")));
});

/** A store and a file of done steps for one test, and what starts its servers. */
async function place(kind: "sqlite" | "postgres") {
  places += 1;
  const done = join(folder, `done-${places}`);
  postgres ??= kind === "postgres" ? startPostgres() : undefined;
  const url =
    kind === "sqlite"
      ? `sqlite:${join(folder, `${places}.db`)}`
      : `${(await postgres)?.url}?schema=waiting_${places}`;
  const start = async (variables: Readonly<Record<string, string>> = {}): Promise<WaitingServer> => {
    const common = { STORE: url, DONE: done, LEASE_MS: String(LEASE_MS) };
    const server = await waitingServer({ ...common, ...variables });
    servers.push(server);
    return server;
  };
  return { start, done: () => doneIn(done) };
}

const idsOf = (count: number, name = "run"): string[] =>
  Array.from({ length: count }, (_, at) => `${name}-${at}`);
const inTime = (when: number): Promise<void> => until("it is that late", () => Date.now() >= when);
/** A timer of the machine may be so much early against its clock. */
const SLACK_MS = 10;
const idsIn = (done: readonly DoneStep[]): string[] => done.map(({ id }) => id);

/** The last server ends: what it would do twice it has done. */
async function allWoke(
  done: () => readonly DoneStep[],
  ids: readonly string[],
  by: WaitingServer,
): Promise<void> {
  await until("all runs woke up", () => new Set(idsIn(done())).size >= ids.length);
  for (const id of ids)
    await until(`${id} has ended`, async () => (await by.call("result", id)).kind === "completed");
  await Promise.all(servers.map((server) => server.end()));
  assert.deepEqual(idsIn(done()).sort(), [...ids].sort());
}

for (const [kind, skip] of [
  ["sqlite", false],
  ["postgres", skipWithoutPostgres],
] as const)
  describe(`runs that wait, on ${kind}`, { skip }, () => {
    test("wake up once and in time where clocks are 30 s apart, and one is set back", async () => {
      const { start, done } = await place(kind);
      const apart = await Promise.all([0, APART_MS, -APART_MS].map((ms) => start({ CLOCK_MS: String(ms) })));
      const names = ["level", "ahead", "behind"] as const;
      const began = Date.now();
      const due = began + 1500;
      await Promise.all(
        apart.map(async (server, at) => {
          await server.call("begin", "naps", 0, idsOf(FEW, `${names[at]}-nap`));
          await server.call("begin", "sleeps", due, idsOf(FEW, `${names[at]}-until`));
        }),
      );
      await apart[1]?.call("clock", -3_600_000);
      const ids = names.flatMap((name) => [...idsOf(FEW, `${name}-nap`), ...idsOf(FEW, `${name}-until`)]);
      await allWoke(done, ids, apart[0] as WaitingServer);

      const early = done().filter(
        ({ id, at }) => at < (id.includes("nap") ? began + NAP_MS : due) - SLACK_MS,
      );
      const late = done().filter(({ at }) => at > due + APART_MS / 2);
      assert.deepEqual([early, late], [[], []]);
    });

    test("of a host that is halted beyond its lease are woken by another, once", async () => {
      const { start, done } = await place(kind);
      const [halted, other] = await Promise.all([start(), start()]);
      const due = Date.now() + 5000;
      await halted.call("begin", "sleeps", due, idsOf(MANY));
      halted.process.kill("SIGSTOP");
      assert.ok(Date.now() < due, "It is halted before they are due: a step at work would run twice");
      await until("the other woke all", () => new Set(idsIn(done())).size >= MANY);
      await inTime(due + 2 * LEASE_MS);
      halted.process.kill("SIGCONT");

      await allWoke(done, idsOf(MANY), other);
    });

    test("that fall due while no process is up are woken by the next, once", async () => {
      const { start, done } = await place(kind);
      const first = await start();
      const due = Date.now() + 2000;
      await first.call("begin", "sleeps", due, idsOf(MANY));
      await first.call("begin", "hears", 0, idsOf(FEW, "hears"));
      await first.end("SIGKILL");
      await inTime(due);
      assert.deepEqual(done(), []);
      const second = await start();
      for (const id of idsOf(FEW, "hears")) assert.equal(await second.call("signal", id), "kept");

      await allWoke(done, [...idsOf(MANY), ...idsOf(FEW, "hears")], second);
    });

    test("whose Axon is not mounted any more are unfit, and no process spins over them", async () => {
      const { start, done } = await place(kind);
      const first = await start();
      const due = Date.now() + 500;
      await first.call("begin", "sleeps", due, idsOf(FEW));
      await first.end();
      await inTime(due);
      const second = await start({ AXONS: "hears" });
      await until("they are unfit", async () => (await second.call("result", "run-0")).kind === "unfit");
      const asked = async (): Promise<number> => (await second.call("counts"))["due"] ?? 0;
      const before = await second.call("counts");
      const polls = await asked();
      const began = Date.now();
      await until("it has looked again", async () => (await asked()) >= polls + 4);
      const afterwards = await second.call("counts");

      assert.ok(Date.now() - began > 500, "It looks no more often than it should");
      for (const call of ["append", "read"])
        assert.equal(afterwards[call] ?? 0, before[call] ?? 0, `No ${call} of runs that fit no code`);
      assert.deepEqual(done(), []);

      const third = await start();
      await allWoke(done, idsOf(FEW), third);
    });
  });

describe("a store that is away while runs fall due", { skip: skipWithoutPostgres }, () => {
  test("delays them and loses none", async () => {
    const own = await startPostgres();
    const done = join(folder, "done-away");
    try {
      const server = await waitingServer({ STORE: own.url, DONE: done, LEASE_MS: String(LEASE_MS) });
      servers.push(server);
      const due = Date.now() + 1000;
      await server.call("begin", "sleeps", due, idsOf(MANY));
      await own.crash();
      await inTime(due + LEASE_MS);
      assert.deepEqual(doneIn(done), []);
      await own.restart();

      await allWoke(() => doneIn(done), idsOf(MANY), server);
    } finally {
      await own.stop();
    }
  });
});
