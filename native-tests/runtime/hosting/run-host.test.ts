import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fault, type MemoryRuns } from "framework";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { adding, beginning, hosts, LEASE_MS } from "../../support/hosts.js";

describe("a host of runs", () => {
  test("takes over the runs of a host whose lease is over, not before and no others", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    await runs.beat("dead", LEASE_MS);
    // RH2: a claim is an entry.
    runs.append("run", 0, [beginning("sums")], "dead");
    runs.append("by hand", 0, [beginning("sums")]);
    runs.append("elsewhere", 0, [beginning("unknown")], "dead");
    runs.append("of another version", 0, [beginning("sums", "9.0.0")], "dead");
    await host([adding(runs, done)]).begin();
    await clock.advance(LEASE_MS - 1);
    assert.deepEqual(done, []);
    await clock.advance(LEASE_MS);

    assert.deepEqual(done, ["run in epoch 2"]);
    assert.deepEqual(
      runs.unfinished().map(({ id }) => id),
      ["by hand", "elsewhere", "of another version"],
    );
  });

  test("tells how a run failed that it took over, as no caller does", async () => {
    const { clock, runs, failures, host } = hosts();
    await runs.beat("dead", LEASE_MS);
    runs.append("run", 0, [beginning("sums")], "dead");
    await host([adding(runs, [], "sums", () => fault({ kind: "no" }))]).begin();
    await clock.advance(2 * LEASE_MS);

    assert.deepEqual(failures, [["sums", "run", { kind: "no" }]]);
  });

  test("takes nothing before its server is ready, and nothing once it is to stop", async () => {
    const { clock, runs, made, host } = hosts();
    const done: string[] = [];
    runs.append("first", 0, [beginning("sums")], "dead");
    // RH3: not before it is ready.
    made.isReady = false;
    const one = host([adding(runs, done)]);
    await one.begin();
    await clock.advance(2 * LEASE_MS);
    assert.deepEqual(done, []);
    made.isReady = true;
    await clock.advance(LEASE_MS);
    assert.equal(done.length, 1);
    one.stop();
    runs.append("second", 0, [beginning("sums")], "dead");
    await clock.advance(2 * LEASE_MS);

    assert.equal(done.length, 1);
  });

  test("leaves a run to the host that was faster, although both found it abandoned", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    runs.append("run", 0, [beginning("sums")], "dead");
    const never = (): Promise<never> => new Promise(() => {});
    // RH2: it reads the log behind the claim of the other.
    const slow = Object.assign(Object.create(runs), runs, {
      read: async (id: string) => {
        while (done.length === 0) await new Promise(setImmediate);
        return runs.read(id);
      },
    }) as MemoryRuns;
    const slower = host([adding(slow, done, "sums", never)]);
    const faster = host([adding(runs, done, "sums", never)]);
    await slower.begin();
    await faster.begin();
    await clock.advance(LEASE_MS / 4);
    while (slower.running > 0) await new Promise(setImmediate);

    assert.deepEqual(done, ["run in epoch 2"]);
    assert.deepEqual(
      runs.unfinished({ of: faster.id }).map(({ id }) => id),
      ["run"],
    );
  });

  test("takes so many at once, and the rest as soon as these have ended", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (let n = 0; n < 7; n += 1) runs.append(`run ${n}`, 0, [beginning("sums")], "dead");
    const one = host([adding(runs, done, "sums", (n) => released.then(() => n))], { maxTaken: 3 });
    await one.begin();
    await clock.advance(LEASE_MS);
    assert.equal(one.running, 3);
    release();
    await clock.advance(0);
    await clock.advance(0);
    await clock.advance(0);

    assert.deepEqual([one.running, done.length, runs.unfinished().length], [0, 7, 0]);
  });

  test("owns what it resumes, so that a run it leaves is taken by the next host at once", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    runs.append("run", 0, [beginning("sums")], "dead");
    const first = host([adding(runs, done, "sums", () => new Promise(() => {}))]);
    // RH1: its lease begins here.
    await first.begin();
    await clock.advance(LEASE_MS);
    assert.deepEqual(
      runs.unfinished({ of: first.id }).map(({ id }) => id),
      ["run"],
    );
    await first.leave();
    await host([adding(runs, done)]).begin();
    await clock.advance(LEASE_MS / 2);

    assert.deepEqual(done, ["run in epoch 2", "run in epoch 3"]);
    assert.deepEqual(runs.unfinished(), []);
  });

  test("leaves a run alone after three processes were at it without a new checkpoint", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    runs.append("run", 0, [beginning("sums")], "dead");
    // Each host dies with the run: its lease expires.
    const dying = { ...runs, leave: () => {} };
    for (let n = 0; n < 4; n += 1) {
      const one = host([adding(dying, done, "sums", () => new Promise(() => {}))], { maxResumptions: 3 });
      await one.begin();
      for (let waited = 0; waited < 20 && one.running === 0; waited += 1) await clock.advance(LEASE_MS / 4);
      await one.leave();
      await clock.advance(LEASE_MS);
    }

    assert.equal(done.length, 2);
    assert.deepEqual(
      runs.unfinished().map(({ id, stuck }) => [id, stuck]),
      [["run", true]],
    );
  });

  test("does not count processes that stopped", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    runs.append("run", 0, [beginning("sums")], "dead");
    for (let n = 0; n < 9; n += 1) {
      const one = host([adding(runs, done, "sums", () => new Promise(() => {}))], { maxResumptions: 2 });
      await one.begin();
      for (let waited = 0; waited < 20 && one.running === 0; waited += 1) await clock.advance(LEASE_MS / 4);
      await one.leave();
    }

    assert.equal(done.length, 9);
    // The first owner died: the wait that followed on it stays.
    assert.equal((runs.read("run").at(-1) as { resumptions?: number }).resumptions, 1);
  });

  test("resumes a run that it could not write a number of times without counting, then counts", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    const append: RunStore["append"] = (id, known, entries, by) => {
      if (entries[0]?.kind === "ended") throw new Error("no room");
      return runs.append(id, known, entries, by);
    };
    const one = host([adding({ ...runs, append }, done)], { maxResumptions: 2 });
    await one.begin();
    runs.append("run", 0, [beginning("sums")], one.id);
    one.lost("run");
    for (let n = 0; n < 20; n += 1) await clock.advance(LEASE_MS);

    const counts = runs.read("run").flatMap((entry) => {
      if (entry.kind === "resumed") return [String(entry.resumptions ?? 0)];
      return entry.kind === "stuck" ? ["stuck"] : [];
    });
    // By its own process twice, then as by another.
    assert.deepEqual(counts, ["0", "0", "1", "stuck"]);
  });

  test("resumes a run that its own process failed to keep", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    const axon = adding(runs, done);
    const one = host([axon]);
    await one.begin();
    runs.append("run", 0, [beginning("sums")], one.id);
    one.lost("run");
    await clock.advance(LEASE_MS);

    assert.deepEqual(done, ["run in epoch 2"]);
  });

  test("does not take its own runs over, which are at work, where its lease ended while the store was away", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    let isGone = false;
    const beats: string[] = [];
    const beat: RunStore["beat"] = (id, ttlMs) => {
      if (isGone) throw new Error("gone");
      beats.push(id);
      return runs.beat(id, ttlMs);
    };
    const unfinished: RunStore["unfinished"] = (filter) => {
      if (isGone) throw new Error("gone");
      if (filter?.abandoned === true) beats.push("looked");
      return runs.unfinished(filter);
    };
    const one = host([adding({ ...runs, beat, unfinished }, done)]);
    await one.begin();
    runs.append("run", 0, [beginning("sums")], one.id);
    isGone = true;
    await clock.advance(3 * LEASE_MS + 100);
    isGone = false;
    beats.length = 0;
    await clock.advance(LEASE_MS);
    // Found abandoned all the same, as by a clock of the store that was set forward.
    runs.leave(one.id);
    await clock.advance(LEASE_MS / 3);

    assert.equal(beats[0], one.id, "it beats before it looks");
    assert.deepEqual(done, []);
  });

  test("leaves a run that it failed to keep to the host that took it meanwhile", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    const one = host([adding(runs, done)]);
    await one.begin();
    runs.append("run", 0, [beginning("sums")], one.id);
    runs.beat("other", 10 * LEASE_MS);
    runs.append("run", 1, [{ ...beginning("sums"), kind: "resumed" } as RunEntry], "other");
    one.lost("run");
    await clock.advance(2 * LEASE_MS);

    assert.deepEqual(done, []);
  });

  test("names a run that it cannot resume once, and takes the others", async () => {
    const { clock, runs, reports, host } = hosts();
    const done: string[] = [];
    runs.append("unfit", 0, [{ ...beginning("sums"), node: "sums/gone" } as RunEntry], "dead");
    runs.append("fit", 0, [beginning("sums")], "dead");
    await host([adding(runs, done)]).begin();
    await clock.advance(4 * LEASE_MS);

    assert.deepEqual(done, ["fit in epoch 2"]);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["RUN_UNRESUMED"],
    );
    assert.match(String(reports[0]?.message), /'unfit'/);
  });

  test("ends a run that faults as it would have ended", async () => {
    const { clock, runs, host } = hosts();
    runs.append("run", 0, [beginning("sums")], "dead");
    const axon = adding(runs, [], "sums", () => fault("too much"));
    await host([axon]).begin();
    await clock.advance(LEASE_MS);

    assert.deepEqual((runs.read("run").at(-1) as { error?: unknown }).error, "too much");
  });

  test("says once that its store is gone, and takes runs again once it is back", async () => {
    const { clock, runs, reports, host } = hosts();
    const done: string[] = [];
    let isGone = false;
    const asked =
      <A extends readonly unknown[], R>(call: (...args: A) => R) =>
      (...args: A): R => {
        if (isGone) throw new Error("gone");
        return call(...args);
      };
    const store: RunStore = { ...runs, beat: asked(runs.beat), unfinished: asked(runs.unfinished) };
    await host([adding(store, done)]).begin();
    isGone = true;
    await clock.advance(3 * LEASE_MS + 100);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["RUN_HOST_FAILED"],
    );
    isGone = false;
    runs.append("run", 0, [beginning("sums")], "dead");
    await clock.advance(LEASE_MS);

    assert.deepEqual(done, ["run in epoch 2"]);
  });

  test("makes the calls that follow a beat after each, and reports the first that fails", async () => {
    const { clock, runs, reports, host } = hosts();
    const calls: string[] = [];
    const beat: RunStore["beat"] = (id, ttlMs) => {
      calls.push("beat");
      return runs.beat(id, ttlMs);
    };
    const one = host([adding({ ...runs, beat }, [])]);
    one.heartbeat.after.push(async () => {
      calls.push("after");
      throw new Error("no");
    });
    await one.begin();
    assert.deepEqual(calls, ["beat"]);
    await clock.advance(LEASE_MS / 3 + 1);
    one.stop();

    assert.deepEqual(calls.slice(1, 3), ["beat", "after"]);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["RUN_HOST_FAILED"],
    );
  });

  test("forgets runs that ended long ago", async () => {
    const { clock, runs, host } = hosts();
    const done: string[] = [];
    runs.append("old", 0, [beginning("sums"), { kind: "ended", at: 2, output: 1 }]);
    await host([adding(runs, done)]).begin();
    await clock.advance(2 * 3_600_000);

    assert.deepEqual(runs.read("old"), []);
  });
});
