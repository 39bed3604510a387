// Contract of run stores.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunFilter, RunStore } from "#core/ports/run-store.js";
import { runCancelContract } from "./run-cancel.js";
import { begun, checkpoint, DAY_MS, ended, listedAs, resumed, stuck } from "./run-entries.js";
import { runHostsContract } from "./run-hosts.js";
import { runLabelsContract } from "./run-labels.js";
import { runListContract } from "./run-list.js";
import { runWaitsContract } from "./run-waits.js";

export interface OpenedRuns {
  readonly store: RunStore;
  /** Advances the store's time. */
  readonly pass: (ms: number) => Promise<void> | void;
}

/** Whether it compares times by its own clock: then `forget` takes an age. */
const comparesItsOwnTimes = ({ forget }: RunStore): boolean => forget.length > 2;

export function runStoreContract(name: string, open: () => Promise<OpenedRuns> | OpenedRuns): void {
  const idsIn = async (store: RunStore, filter?: RunFilter): Promise<readonly string[]> =>
    (await store.unfinished(filter)).map(({ id }) => id);
  /** Without what a store may leave out. */
  const listedIn = async (store: RunStore, filter?: RunFilter) =>
    (await store.unfinished(filter)).map(({ place, left, node, ...run }) => run);

  runCancelContract(name, open);
  runLabelsContract(name, open);
  runHostsContract(name, open);
  runWaitsContract(name, open);
  runListContract(name, open);

  describe(`runs in ${name}`, () => {
    test("have their entries in the order in which they came", async () => {
      const { store } = await open();
      assert.equal(await store.append("a", 0, [begun()]), true);
      assert.equal(await store.append("a", 1, [checkpoint(1), checkpoint(2)]), true);
      assert.equal(await store.append("a", 3, [ended]), true);

      assert.deepEqual(await store.read("a"), [begun(), checkpoint(1), checkpoint(2), ended]);
      assert.deepEqual(await store.read("b"), []);
    });

    test("refuse an append that knows fewer entries than exist, or more, and keep nothing of it", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);
      await store.append("a", 1, [checkpoint(1)]);

      for (const known of [0, 1, 3])
        assert.equal(await store.append("a", known, [checkpoint(2), checkpoint(3)]), false, String(known));
      assert.equal(await store.append("b", 1, [checkpoint(1)]), false);
      assert.deepEqual(await store.read("a"), [begun(), checkpoint(1)]);
      assert.deepEqual(await store.read("b"), []);
    });

    test("take one of many concurrent appends", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);
      const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => store.append("a", 1, [checkpoint(n)])));

      assert.equal(answers.filter((answer) => answer).length, 1);
      assert.equal((await store.read("a")).length, 2);
    });

    test("begin once under one id, also after they have ended", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);
      assert.equal(await store.append("a", 0, [begun()]), false);
      await store.append("a", 1, [ended]);

      assert.equal(await store.append("a", 0, [begun()]), false);
      assert.equal((await store.read("a")).length, 2);
    });

    test("are listed while they are unfinished, those that began first first", async () => {
      const { store } = await open();
      for (const id of ["b", "a", "c", "d"]) await store.append(id, 0, [begun()]);
      await store.append("e", 0, [begun({ axon: "other" } as never)]);
      await store.append("b", 1, [checkpoint(4)]);
      await store.append("c", 1, [ended]);

      assert.deepEqual(await idsIn(store, {}), ["b", "a", "d", "e"]);
      assert.deepEqual(await idsIn(store, { axon: "orders" }), ["b", "a", "d"]);
      assert.deepEqual(await idsIn(store, { limit: 2 }), ["b", "a"]);
      assert.deepEqual(await listedIn(store, { limit: 1 }), [listedAs("b", { at: 5, entries: 2 })]);
    });

    test("are listed with the newest trace that their entries have", async () => {
      const { store } = await open();
      const mark = (digit: string) => ({ trace_id: digit.repeat(32), span_id: digit.repeat(16) });
      const listed = async () => (await store.unfinished()).map(({ trace }) => trace);
      await store.append("a", 0, [begun()]);
      assert.deepEqual(await listedIn(store), [listedAs("a")]);
      await store.append("b", 0, [begun({ trace: mark("1") })]);
      await store.append("b", 1, [checkpoint(1)]);
      assert.deepEqual(await listed(), [undefined, mark("1")]);

      await store.append("a", 1, [
        resumed({ trace: mark("2") }),
        resumed({ trace: mark("3") }),
        checkpoint(1),
      ]);
      await store.append("b", 2, [resumed()]);
      assert.deepEqual(await listed(), [mark("3"), mark("1")]);
    });

    test("are unfinished again where they fail after they have ended", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);
      await store.append("a", 1, [ended]);
      assert.deepEqual(await store.unfinished(), []);
      await store.append("a", 2, [{ kind: "failed", at: 10, error: "late", completed: [] }]);

      assert.deepEqual(await listedIn(store), [listedAs("a", { at: 10, entries: 3 })]);
    });

    test("are a hundred where no limit is given", async () => {
      const { store } = await open();
      for (let n = 0; n < 120; n += 1) await store.append(String(n), 0, [begun()]);

      assert.equal((await store.unfinished()).length, 100);
    });

    test("show their state at a glance, with their beginning if it is asked for", async () => {
      const { store } = await open();
      if (store.glance === undefined) return;
      const glance: NonNullable<RunStore["glance"]> = async (...asked) => {
        const found = await store.glance?.(...asked);
        if (found === undefined) return undefined;
        // A store may leave these out.
        const { version, unfit, ...run } = found;
        return run;
      };
      const first = begun({ fingerprint: "f" } as never);
      await store.append("a", 0, [first]);
      assert.equal(await glance("b", true), undefined);
      assert.deepEqual(await glance("a"), { axon: "orders", state: "running", entries: 1 });
      await store.append("a", 1, [checkpoint(1), checkpoint(2)]);
      await store.append("a", 3, [stuck]);
      assert.deepEqual(await glance("a"), { axon: "orders", state: "stuck", entries: 4 });
      await store.append("a", 4, [resumed()]);
      await store.append("a", 5, [checkpoint(3), ended]);

      const last = { axon: "orders", state: "ended", entries: 7, end: ended };
      assert.deepEqual(await glance("a"), last);
      assert.deepEqual(await glance("a", true), { ...last, begun: first });
      await store.append("a", 7, [{ kind: "failed", at: 10, error: "late", completed: [] }]);
      assert.deepEqual(await glance("a", true), {
        ...{ axon: "orders", state: "running", entries: 8 },
        begun: first,
      });
      await store.append("c", 0, [first, ended]);
      assert.deepEqual(await glance("c", true), { ...last, entries: 2, begun: first });
    });

    test("are forgotten once, finished or not", async () => {
      const { store } = await open();
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()]);
      await store.append("b", 1, [ended]);

      assert.equal(await store.remove("a", "ended"), false, "it has not ended");
      assert.equal((await store.read("a")).length > 0, true);
      for (const [id, only] of [["a"], ["b", "ended"]] as const) {
        assert.equal(await store.remove(id, only), true);
        assert.equal(await store.remove(id), false);
        assert.deepEqual(await store.read(id), []);
      }
      assert.deepEqual(await store.unfinished(), []);
    });

    test("do not change with what was appended, nor with what was read", async () => {
      const { store } = await open();
      const input = { lines: [1] };
      await store.append("a", 0, [begun({ input } as never)]);
      input.lines.push(2);
      const [first] = await store.read("a");
      (first as unknown as { input: { lines: number[] } }).input.lines.push(3);

      assert.deepEqual(await store.read("a"), [begun({ input: { lines: [1] } } as never)]);
    });

    test("keep any text and any JSON as it is", async () => {
      const { store } = await open();
      const input = JSON.parse('{"__proto__":{"a":1},"":"\\u0001\\ud83d\\ude00","n":[1e300,-1.5,null,true]}');
      const id = "run 'x'; \" % é 😀";
      await store.append(id, 0, [begun({ input } as never)]);

      assert.equal(JSON.stringify(await store.read(id)), JSON.stringify([begun({ input } as never)]));
    });

    test("are there although nothing is appended", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);

      assert.equal(await store.append("a", 1, []), true);
      assert.equal(await store.append("a", 0, []), false);
    });

    test("are listed with the version that ran them last, and as stuck while that is their last entry", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()]);
      await store.append("a", 1, [resumed({ version: "2.0.0" })]);
      await store.append("a", 2, [stuck]);
      assert.deepEqual(await listedIn(store), [
        listedAs("a", { version: "2.0.0", at: 9, entries: 3, stuck: true }),
      ]);

      await store.append("a", 3, [resumed({ at: 10, version: "3.0.0" })]);
      assert.deepEqual(await listedIn(store), [listedAs("a", { version: "3.0.0", at: 10, entries: 4 })]);
    });

    test("are owned by the host of their newest append, if that names one", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()], "one");
      assert.deepEqual(await listedIn(store), [listedAs("a", { host: "one" })]);
      await store.append("a", 1, [resumed()], "two");
      assert.deepEqual(await idsIn(store, { of: "one" }), []);
      assert.deepEqual(await idsIn(store, { of: "two" }), ["a"]);
      await store.append("a", 0, [begun()], "three");
      assert.deepEqual(await idsIn(store, { of: "two" }), ["a"], "a refused append takes nothing");

      await store.append("a", 2, [checkpoint(1)]);
      assert.deepEqual(await listedIn(store), [listedAs("a", { at: 2, entries: 3 })]);
    });

    test("take the last append of their owner again, once, and no other", async () => {
      const { store } = await open();
      await store.append("a", 0, [begun()], "one");
      assert.equal(await store.append("a", 0, [begun()], "one"), true, "asked again");
      assert.equal(await store.append("a", 0, [begun()], "two"), false, "of another host");
      assert.equal(await store.append("a", 0, [begun()]), false, "of no host");
      assert.equal(await store.append("a", 0, [begun({ at: 2 } as never)], "one"), false, "another entry");
      const two = [checkpoint(1), checkpoint(2)];
      await store.append("a", 1, two, "one");
      assert.equal(await store.append("a", 1, two, "one"), true);

      assert.equal(await store.append("a", 2, two, "one"), false, "behind others");
      assert.equal(await store.append("a", 1, [checkpoint(1)], "one"), false, "not the last any more");
      await store.append("a", 3, [resumed()], "two");
      assert.equal(await store.append("a", 3, [resumed()], "one"), false, "taken by another host");
      assert.deepEqual(await store.read("a"), [begun(), ...two, resumed()]);
    });

    test("are filtered by the Axons and versions that the asking process has", async () => {
      const { store } = await open();
      for (const [id, axon, version] of [
        ["a", "orders", "1.0.0"],
        ["b", "orders", "2.0.0"],
        ["c", "stock", "2.0.0"],
      ])
        await store.append(id as string, 0, [begun({ axon, version } as never)]);
      await store.append("d", 0, [begun()]);
      await store.append("d", 1, [resumed({ version: "3.0.0" })]);

      const axons = [
        { name: "orders", versions: ["1.0.0", "3.0.0"] },
        { name: "stock", versions: ["1.0.0"] },
      ];
      assert.deepEqual(await idsIn(store, { axons }), ["a", "d"]);
      assert.deepEqual(await idsIn(store, { axons, limit: 1 }), ["a"]);
      assert.deepEqual(await idsIn(store, { axons, axon: "stock" }), []);
      assert.deepEqual(await idsIn(store, { axons: [] }), []);
    });

    test("are abandoned once the lease of their owner has expired, by the store's clock, and not before", async () => {
      const { store, pass } = await open();
      await store.beat("one", 10_000);
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()], "one");
      await store.append("b", 1, [ended], "one");
      await store.append("c", 0, [begun()]);
      await pass(9000);
      assert.deepEqual(await idsIn(store, { abandoned: true }), []);
      await store.beat("one", 10_000);
      await pass(9000);
      assert.deepEqual(await idsIn(store, { abandoned: true }), [], "a beat extends it");
      await pass(1001);

      assert.deepEqual(await idsIn(store, { abandoned: true }), ["a"], "never one without an owner");
      assert.deepEqual(await idsIn(store, { abandoned: true, of: "two" }), []);
      await store.beat("one", 10_000);
      assert.deepEqual(await idsIn(store, { abandoned: true }), [], "it is alive after all");
    });

    test("are abandoned at once when their owner leaves, and no longer once another host has taken them", async () => {
      const { store } = await open();
      for (const host of ["one", "two"]) await store.beat(host, 10_000);
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()], "one");
      await store.append("c", 0, [begun()], "two");
      await store.leave("one");
      await store.leave("unknown");
      assert.deepEqual(await idsIn(store, { abandoned: true }), ["a", "b"]);

      await store.append("a", 1, [resumed()], "two");
      assert.deepEqual(await idsIn(store, { abandoned: true }), ["b"]);
    });

    test("that are abandoned are not offered to hosts while they are stuck, nor before their time", async () => {
      const { store, pass } = await open();
      for (const id of ["a", "b", "c"]) await store.append(id, 0, [begun()], "gone");
      await store.append("a", 1, [stuck], "gone");
      const waiting = (at: number, resumptions: number) =>
        resumed({ at, resumptions, retry_at: at + 60_000 });
      // Of a process whose clock is ahead: the wait counts, not the time.
      const ahead = comparesItsOwnTimes(store) ? 7_200_000 : 0;
      await store.append("b", 1, [waiting(Date.now() + ahead, 3)], "gone");
      await store.append("c", 1, [waiting(Date.now(), 1)], "gone");
      await store.append("c", 2, [checkpoint(1)], "gone");
      assert.deepEqual(await idsIn(store, { abandoned: true }), ["c"], "a checkpoint ends the wait");
      // More than that: the clocks of the store and of the test did not start together.
      await pass(120_000);

      assert.deepEqual(await idsIn(store, { abandoned: true }), ["b", "c"]);
      assert.deepEqual(await idsIn(store), ["a", "b", "c"], "others see them all");
    });

    test("that ended before a time are deleted, at most so many at once", async () => {
      const { store } = await open();
      if (comparesItsOwnTimes(store)) return;
      for (const [id, at] of [
        ["a", 10],
        ["b", 11],
        ["c", 12],
        ["d", 13],
      ] as const) {
        await store.append(id, 0, [begun()]);
        if (id !== "d") await store.append(id, 1, [{ ...ended, at }]);
      }

      assert.equal(await store.forget(12, 1), 1);
      assert.equal(await store.forget(12, 10), 1);
      assert.equal(await store.forget(12, 10), 0);
      const lengths = await Promise.all(
        ["a", "b", "c", "d"].map(async (id) => (await store.read(id)).length),
      );
      assert.deepEqual(lengths, [0, 0, 2, 1]);
    });

    test("that are older than an age are deleted by the clock of the store, at most so many at once", async () => {
      const { store, pass } = await open();
      if (!comparesItsOwnTimes(store)) return;
      for (const id of ["a", "b", "c", "d"]) await store.append(id, 0, [begun()]);
      const lengths = async () =>
        Promise.all(["a", "b", "c", "d"].map(async (id) => (await store.read(id)).length));
      // Of processes whose clocks are behind and ahead: the clock of the store counts.
      await store.append("a", 1, [{ ...ended, at: Date.now() - 40 * DAY_MS }]);
      await store.append("b", 1, [{ ...ended, at: Date.now() + 40 * DAY_MS }]);
      assert.equal(await store.forget(Date.now() - DAY_MS, 10, DAY_MS), 0);
      await pass(DAY_MS + 60_000);
      await store.append("c", 1, [{ ...ended, at: Date.now() }]);

      assert.equal(await store.forget(Date.now() - DAY_MS, 1, DAY_MS), 1);
      assert.equal(await store.forget(Date.now() - DAY_MS, 10, DAY_MS), 1);
      assert.equal(await store.forget(Date.now() - DAY_MS, 10, DAY_MS), 0);
      assert.deepEqual(await lengths(), [0, 0, 2, 1]);
      assert.equal(await store.forget(Date.now() + DAY_MS, 10), 1, "by a time, without an age");
      assert.deepEqual(await lengths(), [0, 0, 0, 1]);
    });

    test("are listed alone by their id, and in pages by their place", async () => {
      const { store } = await open();
      for (const id of ["b", "a", "c", "d", "e"]) await store.append(id, 0, [begun()]);
      await store.append("b", 1, [ended]);
      await store.append("b", 2, [{ kind: "failed", at: 10, error: "late", completed: [] }]);
      const [first] = await store.unfinished({ limit: 1 });
      if (first?.place === undefined) return;

      assert.deepEqual(await idsIn(store, { id: "c" }), ["c"]);
      assert.deepEqual(await idsIn(store, { id: "c", axon: "other" }), []);
      const pages: string[] = [];
      let after: string | undefined;
      for (let page = 0; page < 4; page += 1) {
        const runs = await store.unfinished({ limit: 2, ...(after !== undefined && { after }) });
        pages.push(runs.map(({ id }) => id).join());
        after = runs.at(-1)?.place ?? after;
      }
      assert.deepEqual(pages, ["b,a", "c,d", "e", ""]);
    });

    test("that a release marked as unfit are not offered to it, but to others, and again after they grew", async () => {
      const { store } = await open();
      if (store.markUnfit === undefined) return;
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()], "gone");
      await store.markUnfit("a", 1, { release: "one", reason: "no node 'x'" });
      await store.markUnfit("b", 2, { release: "one", reason: "of a log that has grown" });
      assert.deepEqual(await idsIn(store, { abandoned: true, release: "one" }), ["b"]);
      assert.deepEqual(await idsIn(store, { abandoned: true, release: "two" }), ["a", "b"]);
      const reasons = async () => (await store.unfinished()).map(({ unfit }) => unfit);
      assert.deepEqual(await reasons(), ["no node 'x'", undefined]);
      await store.markUnfit("a", 1, { release: "two", reason: "no node 'y'" });
      assert.deepEqual(await reasons(), ["no node 'y'", undefined]);
      // Both are at work in a rolling deployment.
      for (const release of ["one", "two"])
        assert.deepEqual(await idsIn(store, { abandoned: true, release }), ["b"]);

      await store.append("a", 1, [resumed()], "gone");
      assert.deepEqual(await idsIn(store, { abandoned: true, release: "one" }), ["a", "b"]);
      assert.deepEqual(await reasons(), [undefined, undefined]);
    });

    test("are counted by Axon, version and state", async () => {
      const { store } = await open();
      if (store.counted === undefined) return;
      await store.beat("living", 10_000);
      for (const id of ["a", "b", "c"]) await store.append(id, 0, [begun()], "gone");
      for (const id of ["d", "e"]) await store.append(id, 0, [begun()], "living");
      await store.append("f", 0, [begun({ version: "2.0.0" } as never)], "living");
      await store.append("g", 0, [begun()], "gone");
      await store.append("g", 1, [ended], "gone");
      await store.append("e", 1, [stuck], "living");
      await store.markUnfit?.("a", 1, { release: "one", reason: "no node" });
      const unfit = store.markUnfit && { state: "unfit", count: 1, abandoned: 1 };

      const counts = await store.counted("one");
      const ofFirst = { axon: "orders", version: "1.0.0" };
      const expected = [
        ...(unfit ? [{ ...ofFirst, ...unfit }] : []),
        { ...ofFirst, state: "running", count: unfit ? 3 : 4, abandoned: unfit ? 2 : 3 },
        { ...ofFirst, state: "stuck", count: 1, abandoned: 0 },
        { axon: "orders", version: "2.0.0", state: "running", count: 1, abandoned: 0 },
      ];
      const inOrder = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).sort();
      assert.deepEqual(inOrder(counts), inOrder(expected));
      assert.equal(
        (await store.counted("two")).some(({ state }) => state === "unfit"),
        false,
      );
    });

    test("of a host that left are told from those of one that died, where the store tells", async () => {
      const { store, pass } = await open();
      for (const host of ["one", "two"]) {
        await store.beat(host, 10_000);
        await store.append(`of ${host}`, 0, [begun()], host);
      }
      await store.leave("one");
      // A beat that was on its way.
      await store.beat("one", 10_000);
      const left = async () => (await store.unfinished({ abandoned: true })).map((run) => [run.id, run.left]);
      const [[, isTold] = []] = await left();
      if (isTold === undefined) return;
      await pass(10_001);
      await store.forget(0, 10);

      assert.deepEqual(await left(), [
        ["of one", true],
        ["of two", undefined],
      ]);
    });
  });
}
