import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryRuns } from "framework";
import { plainCodec } from "#core/ports/codec.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { adding, beginning, hosts, LEASE_MS } from "../../support/hosts.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const unfit = (axon: string, node: string): RunEntry => ({ ...beginning(axon), node }) as RunEntry;

/** Until the condition holds, at most for so many looks of a host. */
async function within(
  looks: number,
  clock: { advance(ms: number): Promise<void> },
  isDone: () => boolean,
  turns = 100_000,
) {
  for (let look = 0; look < looks && !isDone(); look += 1) {
    await clock.advance(LEASE_MS / 4);
    // What a database answers comes in its own time.
    for (let turn = 0; turn < turns && !isDone(); turn += 1) await clock.advance(0);
  }
}

function abandonedRuns(name: string, open: () => Promise<RunStore>): void {
  describe(`abandoned runs in ${name}`, () => {
    test("that fit no code hold up none of the others, and are one line for each reason", async () => {
      const { clock, reports, failures, host } = hosts();
      const store = await open();
      const done: string[] = [];
      await Promise.all(
        Array.from({ length: 1300 }, (_, n) =>
          store.append(`unfit ${n}`, 0, [unfit("sums", n < 1000 ? "sums/gone" : "sums/lost")], "dead"),
        ),
      );
      for (let n = 0; n < 10; n += 1) await store.append(`fit ${n}`, 0, [beginning("sums")], "dead");
      const one = host([adding(store, done)]);
      await one.begin();
      // AR1: the next page is read once the runs of the last one were taken or left.
      await within(4, clock, () => done.length === 10 && one.running === 0);
      assert.equal(done.length, 10);
      await clock.advance(120_000);
      await one.leave();

      const told = reports.map(
        ({ code, message }) => `${code} ${/^\d+ runs/.exec(message)?.[0]} ${/sums\/\w+/.exec(message)?.[0]}`,
      );
      assert.deepEqual(told.sort(), [
        "RUN_UNRESUMED 1000 runs sums/gone",
        "RUN_UNRESUMED 300 runs sums/lost",
      ]);
      assert.deepEqual(failures, []);
      const [first] = await store.unfinished();
      assert.match(String(first?.unfit), /no node 'sums\/(gone|lost)'/);
    });

    test("are looked at again by another release, and are resumed if they fit it", async () => {
      const { clock, reports, host } = hosts();
      const store = await open();
      const done: string[] = [];
      await store.append("run", 0, [unfit("sums", "sums/late")], "dead");
      const first = host([adding(store, done)]);
      await first.begin();
      await within(20, clock, () => reports.length === 1, 3000);
      await first.leave();
      const same = host([adding(store, done)]);
      await same.begin();
      await within(2, clock, () => reports.length === 2, 3000);
      await same.leave();
      assert.deepEqual([reports.length, done], [1, []]);

      const axon = adding(store, done).thenFn("late", (n: number) => {
        done.push("late");
        return n;
      });
      const next = host([axon]);
      assert.notEqual(next.release, first.release);
      assert.equal(same.release, first.release);
      await next.begin();
      await within(4, clock, () => done.length === 1);
      await next.leave();

      assert.deepEqual(done, ["late"]);
    });
  });
}

abandonedRuns("memory", async () => new MemoryRuns());
const sqlOf = (open: OpenDatabase) => async () => new SqlRuns(await open(), plainCodec);
abandonedRuns("SQLite", sqlOf(sqliteDatabases()));
describe("in PostgreSQL", { skip: skipWithoutPostgres }, () =>
  abandonedRuns("PostgreSQL", sqlOf(postgresDatabases())),
);

describe("abandoned runs", () => {
  test("whose logs cannot be read are reported once, and hold up none of the others", async () => {
    const { clock, runs, reports, failures, host } = hosts();
    const done: string[] = [];
    for (let n = 0; n < 300; n += 1) {
      runs.append(`damaged ${n}`, 0, [beginning("sums")], "dead");
      runs.append(`damaged ${n}`, 1, [beginning("sums")], "dead");
    }
    runs.append("fit", 0, [beginning("sums")], "dead");
    const one = host([adding(runs, done)]);
    await one.begin();
    await within(3, clock, () => done.length === 1);
    await clock.advance(10 * LEASE_MS);
    await one.leave();

    assert.equal(done.length, 1);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      reports.map(({ message }) => /^300 runs.*begins twice/.test(message)),
      [true],
    );
  });

  test("of a store without marks and places are taken, and unfit ones remembered by the process", async () => {
    const { clock, runs, reports, host } = hosts();
    const done: string[] = [];
    const { markUnfit, counted, ...rest } = runs;
    const unfinished: RunStore["unfinished"] = (filter = {}) => {
      const { after, release, id, ...known } = filter;
      return runs.unfinished(known).map(({ place, left, ...run }) => run);
    };
    for (let n = 0; n < 250; n += 1) runs.append(`unfit ${n}`, 0, [unfit("sums", "sums/gone")], "dead");
    for (let n = 0; n < 250; n += 1) runs.append(`fit ${n}`, 0, [beginning("sums")], "dead");
    const one = host([adding({ ...rest, unfinished }, done)]);
    await one.begin();
    await within(30, clock, () => done.length === 250);
    await clock.advance(10 * LEASE_MS);
    await one.leave();

    assert.equal(done.length, 250);
    assert.equal(reports.length, 1);
  });

  test("that hang are reported with the age of the oldest, and leave their places to others after ten minutes", async () => {
    const { clock, runs, reports, host } = hosts();
    const done: string[] = [];
    for (let n = 0; n < 7; n += 1) runs.append(`run ${n}`, 0, [beginning("sums")], "dead");
    const one = host([adding(runs, done, "sums", () => new Promise(() => {}))], { maxTaken: 2 });
    await one.begin();
    await clock.advance(90_000);
    assert.equal(one.running, 2);
    assert.deepEqual(
      reports.map(({ code, message }) => [code, /^2 runs.*fill all places.*taken 1 min ago/.test(message)]),
      [["RUN_HANGING", true]],
    );
    await clock.advance(540_000);
    assert.equal(one.running, 4);
    assert.match(String(reports[1]?.message), /^2 runs.*no entry for 10 min.*taken 10 min ago/);
    await clock.advance(3_600_000);
    await one.leave();

    assert.equal(one.running, 4, "at most twice as many");
  });
});
