// Dead letters that two processes re-drive at once, or whose process is killed: each process of these
// tests has connections, stores and Axons of its own over one database.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";

import { Axon, Bus, busKey, fault, RunId, redrive, transition } from "framework";
import type { Report } from "#core/bus/reporter.js";
import { plainCodec } from "#core/ports/codec.js";
import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { RunEntry, RunFilter, RunStore } from "#core/ports/run-store.js";
import { redriveOn } from "#runtime/axon/redrive.js";
import { DEFAULT_HOSTING, RunHost } from "#runtime/hosting/run-host.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { SqlRuns } from "#store/runs/sql-runs.js";
import { SqlDeadLetters } from "#store/sql/sql-dead-letters.js";
import { until } from "../../support/patience.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const { leaseMs } = DEFAULT_HOSTING;
const Rate = busKey<number>()("Rate");
const never = (): Promise<never> => new Promise(() => {});

/** What the bank of all processes does. */
interface World {
  readonly done: string[];
  /** The answer to the step of a process. */
  pay: (process: string) => unknown;
}

let places = 0;

function letters(name: string, open: OpenDatabase): void {
  const hosts: RunHost[] = [];
  const leave = async (): Promise<void> => {
    for (const host of hosts.splice(0)) await host.leave();
  };

  /** Processes over one database, and the letter that a run left there. */
  const shop = async (isKept = true) => {
    const place = `letters${++places}`;
    const world: World = { done: [], pay: () => fault("bank is down") };
    const process = async (who: string) => {
      const database = await open(place);
      const runs: RunStore = { ...new SqlRuns(database, plainCodec) };
      const store: DeadLetterStore = { ...new SqlDeadLetters(database, plainCodec) };
      const begun = Axon.start<number>("shop");
      const axon = (isKept ? begun.withPersistenceStore(runs) : begun)
        .thenFn("price", (n) => n + 1)
        .then(
          transition({
            name: "pay",
            run: async (n: number) => {
              world.done.push(`${who} pays ${n}`);
              return (await world.pay(who)) as number;
            },
          }),
        )
        .withDlqSink(store);
      const clock = new ManualClock();
      const reports: Report[] = [];
      const host = async () => {
        const made = new RunHost({
          ...{ ...DEFAULT_HOSTING, axons: [axon.definition], isReady: () => true, retainMs: 1e9, clock },
          ...{ reporter: (report: Report) => void reports.push(report), failed: () => {}, random: () => 0.5 },
        });
        hosts.push(made);
        await made.begin();
        return made;
      };
      const again = (id: string) => redrive(store, id, axon);
      /** The host looks, until it is so. */
      const looks = (what: string, isSo: () => boolean | Promise<boolean>) =>
        until(what, async () => {
          await clock.advance(leaseMs / 4);
          return isSo();
        });
      return { database, runs, store, axon, host, again, looks, reports };
    };
    const a = await process("a");
    const b = await process("b");
    await a.axon.execute(1);
    world.done.length = 0;
    const [letter] = await a.store.list();
    assert.ok(letter);
    return { a, b, process, world, id: letter.id };
  };
  const redriven = async (runs: RunStore): Promise<readonly string[]> =>
    (await runs.unfinished()).map(({ id }) => id).filter((id) => id.startsWith("redrive-"));

  describe(`a letter in ${name}`, () => {
    afterEach(leave);

    for (const isKept of [true, false])
      test(`is re-driven by one of two processes that begin at once: ${isKept ? "kept" : "not kept"}`, async () => {
        const { a, b, world, id } = await shop(isKept);
        let pay = (_: number): void => {};
        const paid = new Promise<number>((resolve) => {
          pay = resolve;
        });
        world.pay = () => {
          // Both run it: the test fails, and does not wait.
          if (world.done.length > 1) pay(0);
          return paid;
        };
        const both = [a.again(id), b.again(id)];
        const first = await Promise.race(both);
        pay(7);

        assert.deepEqual(first, { kind: "busy" });
        const kinds = (await Promise.all(both)).map(({ kind }) => kind);
        assert.deepEqual(kinds.sort(), ["busy", "done"]);
        assert.equal(world.done.length, 1);
        for (const { again } of [a, b]) assert.deepEqual(await again(id), { kind: "unknown" });
      });

    test("is busy in another process while it is at work, and counts a failure once", async () => {
      const { a, b, world, id } = await shop();
      let fail = (_: unknown): void => {};
      world.pay = () =>
        new Promise((resolve) => {
          fail = resolve;
        });
      const first = a.again(id);
      await until("the step runs", () => world.done.length === 1);
      assert.deepEqual(await b.again(id), { kind: "busy" });
      fail(fault("bank is down"));

      assert.equal((await first).kind, "failed");
      assert.equal((await b.store.get(id))?.attempts, 2);
      world.pay = () => 7;
      assert.deepEqual(await b.again(id), { kind: "done", outcome: 7 });
      assert.deepEqual(world.done, ["a pays 2", "b pays 2"]);
    });

    for (const [how, pay, attempts] of [
      ["removed", () => 7, undefined],
      ["updated", () => fault("bank is down"), 2],
    ] as const)
      test(`is ${how} by the host that takes the run over where the process that re-drove it is gone`, async () => {
        const { a, b, world, id } = await shop();
        world.pay = (process) => (process === "a" ? never() : pay());
        const killed = await a.host();
        void a.again(id);
        await until("the step runs", () => world.done.length === 1);
        await killed.leave();
        await b.host();
        await b.looks("the run is over", async () => (await redriven(b.runs)).length === 0);

        assert.deepEqual(world.done, ["a pays 2", "b pays 2"]);
        const kept = await b.store.list();
        assert.deepEqual(
          kept.map((letter) => [letter.id, letter.attempts]),
          attempts === undefined ? [] : [[id, attempts]],
        );
      });

    test("is taken over, too, from a program that serves nothing, once its lease is over", async () => {
      const { a, b, world, id } = await shop();
      world.pay = (process) => (process === "a" ? never() : 7);
      const clock = new ManualClock();
      void redriveOn(a.store, id, a.axon.definition, undefined, { actor: "a" }, {}, undefined, clock);
      await until("the step runs", () => world.done.length === 1);
      await b.host();
      assert.deepEqual(await b.again(id), { kind: "busy" });
      await passIn(b.database, 61_000);
      await b.looks("the run is over", async () => (await redriven(b.runs)).length === 0);

      assert.deepEqual(world.done, ["a pays 2", "b pays 2"]);
      assert.deepEqual(await b.store.list(), []);
    });

    test("is continued by the next re-drive where its process is gone and no process serves the Axon", async () => {
      const { a, b, process, world, id } = await shop();
      world.pay = never;
      const clock = new ManualClock();
      void redriveOn(a.store, id, a.axon.definition, undefined, { actor: "a" }, {}, undefined, clock);
      await until("the step runs", () => world.done.length === 1);
      await passIn(b.database, 61_000);

      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      world.pay = () => released.then(() => 7);
      // Two processes find it: the slower one reads the log behind the claim of the other.
      const c = await process("c");
      const { read, unfinished } = c.runs;
      let hasFound = false;
      Object.assign(c.runs, {
        unfinished: async (filter: RunFilter) => {
          const found = await unfinished(filter);
          hasFound = true;
          return found;
        },
        read: async (runId: string) => {
          if (hasFound) await until("the other runs", () => world.done.length === 2);
          return read(runId);
        },
      });
      const slower = c.again(id);
      await until("it is found", () => hasFound);
      const faster = b.again(id);

      assert.deepEqual(await slower, { kind: "busy" });
      release();
      assert.deepEqual(await faster, { kind: "done", outcome: 7 });
      assert.deepEqual(world.done, ["a pays 2", "b pays 2"]);
      assert.deepEqual([await b.store.list(), await redriven(b.runs)], [[], []]);
    });

    test("of an Axon that keeps no runs is busy as long as its re-drive takes, and free a minute after its process is gone", async () => {
      const { a, b, world, id } = await shop(false);
      world.pay = (process) => (process === "a" ? never() : 7);
      const clock = new ManualClock();
      void redriveOn(a.store, id, a.axon.definition, undefined, { actor: "a" }, {}, undefined, clock);
      await until("the step runs", () => world.done.length === 1);
      const { read, tables } = a.database;
      const claimedUntil = async () =>
        Number((await read(`SELECT claimed_until FROM ${tables.letter}`, []))[0]?.["claimed_until"]);
      await passIn(b.database, 59_000);
      const before = await claimedUntil();
      await clock.advance(20_000);
      await until("the claim is extended", async () => (await claimedUntil()) > before);
      await passIn(b.database, 59_000);
      assert.deepEqual(await b.again(id), { kind: "busy" });
      await passIn(b.database, 1000);

      assert.deepEqual(await b.again(id), { kind: "done", outcome: 7 });
      assert.deepEqual(world.done, ["a pays 2", "b pays 2"]);
    });

    test("is removed before its run ends, and where that failed by the next re-drive, which runs nothing", async () => {
      const { a, b, world, id } = await shop();
      world.pay = () => 7;
      await a.host();
      const seen: string[] = [];
      const { append } = a.runs;
      const { remove } = a.store;
      Object.assign(a.runs, {
        append: (...args: Parameters<RunStore["append"]>) => {
          seen.push(...args[2].map((entry: RunEntry) => entry.kind));
          return append(...args);
        },
      });
      Object.assign(a.store, {
        remove: () => {
          seen.push("remove");
          return Promise.reject(new Error("away"));
        },
      });
      await assert.rejects(a.again(id), /away/);
      assert.deepEqual(seen, ["begun", "remove", "ended", "remove"]);
      assert.deepEqual(
        a.reports.map(({ code }) => code),
        ["DEAD_LETTERS_UNREAD"],
      );
      Object.assign(a.store, { remove });

      assert.deepEqual(await b.again(id), { kind: "done", outcome: 7 });
      assert.deepEqual(world.done, ["a pays 2"]);
      assert.deepEqual(await b.store.list(), []);
    });

    test("does not come back where the end of its run was kept, and the store failed to say so", async () => {
      const { a, world, id } = await shop();
      world.pay = () => 7;
      const { append } = a.runs;
      (a.runs as { append: RunStore["append"] }).append = async (...args) => {
        const answer = await append(...args);
        if (args[2].at(-1)?.kind === "ended") throw new Error("the connection is gone");
        return answer;
      };
      await a.host();

      assert.equal((await a.again(id)).kind, "done");
      assert.deepEqual([await a.store.list(), world.done], [[], ["a pays 2"]]);
    });
  });

  describe(`a run in ${name} that a program begins where it serves the Axon`, () => {
    afterEach(leave);

    test("is its host's, so that another takes it over where the process is gone", async () => {
      const { a, b, world } = await shop();
      world.pay = (process) => (process === "a" ? never() : 7);
      const killed = await a.host();
      void a.axon.execute(3);
      await until("the step runs", () => world.done.length === 1);
      const [run] = await a.runs.unfinished();
      assert.equal(run?.host, killed.id);
      await killed.leave();
      await b.host();
      await b.looks("the run is over", async () => (await b.runs.unfinished()).length === 0);

      assert.deepEqual(world.done, ["a pays 4", "b pays 4"]);
    });

    test("has no host before the process serves, nor after", async () => {
      const { a, world } = await shop();
      const owners = async () => (await a.runs.unfinished()).map(({ host }) => host);
      world.pay = never;
      void a.axon.execute(3);
      await until("the run has begun", async () => (await owners()).length === 1);
      const host = await a.host();
      await host.leave();
      void a.axon.execute(3);
      await until("the run has begun", async () => (await owners()).length === 2);

      assert.deepEqual(await owners(), [undefined, undefined]);
    });

    test("is a letter where no other process has what its steps read, and no host tries it again", async () => {
      const place = `letters${++places}`;
      const done: string[] = [];
      const process = async (who: string) => {
        const database = await open(place);
        const runs = new SqlRuns(database, plainCodec);
        const store = new SqlDeadLetters(database, plainCodec);
        const axon = Axon.start<number>("rated")
          .withPersistenceStore(runs)
          .thenFn(
            "rate",
            async (n, bus) => {
              done.push(`${who} rates ${n * bus.get(Rate)}`);
              return who === "a" ? never() : n * bus.get(Rate);
            },
            { reads: [Rate, RunId] },
          )
          .withDlqSink(store);
        const clock = new ManualClock();
        const reports: string[] = [];
        const host = new RunHost({
          ...{ ...DEFAULT_HOSTING, axons: [axon.definition], isReady: () => true, retainMs: 1e9, clock },
          ...{ reporter: ({ code }: Report) => void reports.push(code), failed: () => {}, random: () => 0.5 },
        });
        hosts.push(host);
        return { runs, store, axon, clock, host, reports };
      };
      const [a, b] = [await process("a"), await process("b")];
      await a.host.begin();
      void a.axon.execute(2, Bus.of([[Rate, 3]]));
      await until("the step runs", () => done.length === 1);
      await a.host.leave();
      await b.host.begin();
      await until("the letter is there and reported", async () => {
        await b.clock.advance(leaseMs / 4);
        return (await b.store.list()).length === 1 && b.reports.length > 0;
      });
      for (let n = 0; n < 8; n += 1) await b.clock.advance(leaseMs / 4);

      const [letter] = await b.store.list();
      assert.ok(letter);
      const { code, message } = letter.error as { readonly code: string; readonly message: string };
      assert.equal(code, "KEYS_UNPROVIDED");
      assert.match(message, /'Rate'/);
      assert.deepEqual(b.reports, ["RUN_UNRESUMED"]);
      assert.deepEqual(
        (await b.runs.unfinished()).map(({ id, stuck }) => [id, stuck]),
        [[letter.id, true]],
      );
      // With what they read, the letter resumes the run: another one would do its work again.
      const again = await redrive(b.store, letter.id, b.axon, Bus.of([[Rate, 3]]));
      assert.deepEqual([again, done], [{ kind: "done", outcome: 6 }, ["a rates 6", "b rates 6"]]);
      assert.deepEqual([await b.store.list(), await b.runs.unfinished()], [[], []]);
    });
  });
}

letters("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => letters("PostgreSQL", postgresDatabases()));
