// Contract of run stores whose runs can wait.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import { endSignal, MAX_SIGNALS, type RunWait, type RunWaits } from "#core/ports/run-waits.js";
import { begun, checkpoint, ended, listedAs, resumed } from "./run-entries.js";

interface Opened {
  readonly store: RunStore;
  readonly pass: (ms: number) => Promise<void> | void;
}

type OpenedWaits = Opened & { readonly waits: RunWaits };

const HOUR_MS = 3_600_000;
const AXONS = [{ name: "orders", versions: ["1.0.0"] }];

const waiting = (wait: RunWait & { readonly inMs?: number }): RunEntry => ({
  ...{ kind: "waiting", at: 3, completed: [], node: "orders/w", input: 1, bus: {}, jumps: 0 },
  ...wait,
});
const taken = (name: string, number: number): RunEntry =>
  resumed({ woken: { by: "signal", name, number, payload: null } } as Partial<RunEntry>);
const signal = (name: string, id: string, payload: unknown = null) =>
  ({ name, id, payload }) as Parameters<RunWaits["signal"]>[1];

export function runWaitsContract(name: string, open: () => Promise<Opened> | Opened): void {
  const dueIn = async (
    { waits }: OpenedWaits,
    filter: Partial<Parameters<RunWaits["due"]>[0]> = {},
  ): Promise<readonly string[]> =>
    (await waits.due({ axons: AXONS, release: "one", withinMs: 0, limit: 100, ...filter })).map(
      ({ id }) => id,
    );
  const begunIn = async ({ store }: OpenedWaits, ...ids: readonly string[]): Promise<void> => {
    for (const id of ids) await store.append(id, 0, [begun()], "one");
  };
  /** A test of stores without waits passes. */
  const waitsTest = (title: string, run: (of: OpenedWaits) => Promise<void>): void => {
    test(title, async () => {
      const opened = await open();
      const { waits } = opened.store;
      if (waits !== undefined) await run({ ...opened, waits });
    });
  };

  describe(`runs that wait in ${name}`, () => {
    waitsTest("are due at their time by the clock of the store, the earliest first", async (of) => {
      const { store, waits, pass } = of;
      await begunIn(of, "a", "b", "c", "d", "e");
      assert.equal(await store.append("a", 1, [waiting({ inMs: 3 * HOUR_MS })], "one"), true);
      assert.equal(await store.append("b", 1, [checkpoint(1), waiting({ inMs: HOUR_MS })], "one"), true);
      assert.equal(
        await store.append("c", 1, [waiting({ signals: ["ok"], inMs: 2 * HOUR_MS })], "one"),
        true,
      );
      assert.equal(await store.append("d", 1, [waiting({ signals: ["ok"] })], "one"), true);
      assert.deepEqual(await store.append("e", 1, [waiting({ due: 0 })], "one"), { isDue: true });
      assert.deepEqual(await dueIn(of), ["e"]);
      await store.append("e", 2, [resumed({ woken: { by: "time" } } as Partial<RunEntry>)], "two");

      assert.deepEqual(await dueIn(of), []);
      assert.deepEqual(await dueIn(of, { withinMs: 2.5 * HOUR_MS }), ["b", "c"]);
      await pass(2.5 * HOUR_MS);
      assert.deepEqual(await dueIn(of), ["b", "c"]);
      assert.deepEqual(await dueIn(of, { limit: 1 }), ["b"]);
      assert.deepEqual(await dueIn(of, { axons: [{ name: "orders", versions: ["2.0.0"] }] }), []);
      assert.deepEqual(await dueIn(of, { axons: [] }), []);
      const [first] = await waits.due({ axons: AXONS, release: "one", withinMs: HOUR_MS, limit: 9 });
      assert.deepEqual([first?.axon, first?.entries], ["orders", 3]);
      assert.ok((first?.dueInMs ?? 0) <= -1.4 * HOUR_MS && (first?.dueInMs ?? 0) > -1.6 * HOUR_MS);
    });

    waitsTest("have no owner, are never abandoned, and say for what and until when they wait", async (of) => {
      const { store } = of;
      await begunIn(of, "a", "b");
      await store.append("a", 1, [waiting({ signals: ["ok", 'no %#" '], due: 9e12 })], "one");
      await store.append("b", 1, [waiting({ due: 8e12 })], "one");
      const waits = [{ signals: ["ok", 'no %#" '], due: 9e12 }, { due: 8e12 }];

      const listed = (await store.unfinished()).map(({ place, node, ...run }) => run);
      assert.deepEqual(
        listed,
        ["a", "b"].map((id, n) => listedAs(id, { at: 3, entries: 2, wait: waits[n] })),
      );
      assert.deepEqual(await store.unfinished({ abandoned: true }), []);
      for (const [n, id] of ["a", "b"].entries()) {
        assert.deepEqual((await store.glance?.(id))?.wait ?? waits[n], waits[n]);
        const row = { state: "running", isAlive: false, wait: waits[n] };
        assert.deepEqual((await store.ownership?.(id)) ?? row, row);
      }
      const states = (await store.counted?.("one"))?.map(({ state }) => state).sort();
      assert.deepEqual(states ?? ["sleeping", "waiting"], ["sleeping", "waiting"]);
      await store.append("a", 2, [resumed()], "two");
      assert.deepEqual((await store.unfinished({ of: "two" }))[0]?.wait, undefined);
    });

    waitsTest(
      "are due with a signal that they wait for, whichever comes first, and with no other",
      async (of) => {
        const { store, waits } = of;
        await begunIn(of, "before", "behind", "other");
        assert.deepEqual(await waits.signal("before", signal("ok", "1", { by: "eve" })), {
          kind: "kept",
          isAwaited: false,
        });
        for (const id of ["behind", "other"]) {
          assert.equal(await store.append(id, 1, [waiting({ signals: ["no", "ok"] })], "one"), true);
        }
        assert.deepEqual(await store.append("before", 1, [waiting({ signals: ["no", "ok"] })], "one"), {
          isDue: true,
        });
        assert.deepEqual(await dueIn(of), ["before"]);
        assert.deepEqual(await waits.signal("behind", signal("ok", "1")), { kind: "kept", isAwaited: true });
        for (const near of ["o", "k", "okk", "OK", "%ok", "ok ok"])
          assert.deepEqual(await waits.signal("other", signal(near, near)), {
            kind: "kept",
            isAwaited: false,
          });

        assert.deepEqual((await dueIn(of)).toSorted(), ["before", "behind"]);
        const [kept] = await waits.signals("before", ["no", "ok"]);
        assert.deepEqual({ ...kept, at: 0 }, { ...signal("ok", "1", { by: "eve" }), number: 1, at: 0 });
      },
    );

    waitsTest("keep one signal of an id, also once it is taken", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a", "b");
      const kept = { ...signal("ok", "id \0 \ud800", { a: 1, b: [2] }), actor: "eve \0" };
      const again = async () => [
        await waits.signal("a", { ...kept, payload: { b: [2], a: 1 } }),
        await waits.signal("a", { ...kept, payload: { a: 2 } }),
        await waits.signal("a", { ...kept, name: "no" }),
      ];
      await waits.signal("a", kept);
      const answers = [true, false, false].map((isSame) => ({ kind: "known", isSame }));
      assert.deepEqual(await again(), answers);
      assert.deepEqual(await waits.signal("b", kept), { kind: "kept", isAwaited: false });
      const found = await waits.signals("a", ["ok", "no"]);
      assert.deepEqual(
        found.map(({ at, number, ...rest }) => rest),
        [kept],
      );

      await store.append("a", 1, [taken("ok", 1)], "one");
      assert.deepEqual(await waits.signals("a", ["ok", "no"]), []);
      assert.deepEqual(await again(), answers);
    });

    waitsTest("leave the signals pending that they do not take, in their order", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a");
      for (let n = 1; n <= 12; n += 1)
        await waits.signal("a", signal(n % 2 === 0 ? "even" : "odd", `${n}`, n));
      await store.append("a", 1, [waiting({ signals: ["odd"] })], "one");
      await store.append("a", 2, [taken("odd", 1)], "one");
      const left = async (...names: string[]) =>
        (await waits.signals("a", names)).map(({ payload }) => payload);
      assert.deepEqual(await left("even", "odd"), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      assert.deepEqual(await left("odd"), [3, 5, 7, 9, 11]);

      for (const number of [3, 5, 7, 9])
        await store.append("a", -1 + (number + 3) / 2 + 1, [taken("odd", number)]);
      assert.deepEqual(await left("odd"), [11]);
      assert.deepEqual(await store.append("a", 7, [waiting({ signals: ["odd"] })]), { isDue: true });
      assert.equal(await store.append("a", 8, [taken("odd", 11), waiting({ signals: ["odd"] })]), true);
      assert.deepEqual(await left("even", "odd"), [2, 4, 6, 8, 10, 12]);
      assert.deepEqual(await dueIn(of), []);
    });

    waitsTest("keep a hundred signals that were not taken, beside the ends of other runs", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a");
      for (let n = 0; n < MAX_SIGNALS; n += 1) {
        assert.equal((await waits.signal("a", signal("ok", `${n}`))).kind, "kept");
        await waits.signal("a", signal(endSignal(`child #"${n}`), `end ${n}`));
      }
      assert.deepEqual(await waits.signal("a", signal("no", "one more")), { kind: "full" });
      assert.deepEqual(await waits.signal("a", signal("ok", "0")), { kind: "known", isSame: true });
      assert.equal((await waits.signal("a", signal(endSignal("b"), "end b"))).kind, "kept");
      assert.equal((await waits.signals("a", [endSignal('child #"7')])).length, 1);

      await store.append("a", 1, [taken("ok", 1)], "one");
      assert.equal((await waits.signal("a", signal("no", "one more"))).kind, "kept");
      assert.deepEqual(await waits.signal("a", signal("no", "two more")), { kind: "full" });
    });

    waitsTest("that have ended, or are unknown, keep no signal", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a");
      await waits.signal("a", signal("ok", "1"));
      await store.append("a", 1, [ended], "one");

      assert.deepEqual(await waits.signal("a", signal("ok", "2")), { kind: "ended" });
      assert.deepEqual(await waits.signal("a", signal("ok", "1")), { kind: "known", isSame: true });
      assert.deepEqual(await waits.signal("b", signal("ok", "1")), { kind: "unknown" });
      await store.remove("a");
      await begunIn(of, "a");
      assert.deepEqual(await waits.signals("a", ["ok"]), [], "another run of the id");
      assert.deepEqual(await waits.signal("a", signal("ok", "1")), { kind: "kept", isAwaited: false });
    });

    waitsTest("take the append again by which they wait, until they are resumed", async (of) => {
      const { store } = of;
      await begunIn(of, "a");
      const entries = [checkpoint(1), waiting({ signals: ["ok"] })];
      await store.append("a", 1, entries, "one");

      for (const by of ["one", undefined]) assert.equal(await store.append("a", 1, entries, by), true);
      assert.equal(await store.append("a", 1, [checkpoint(2), waiting({ signals: ["ok"] })], "one"), false);
      assert.equal(await store.append("a", 2, entries, "one"), false);
      assert.equal(await store.append("a", 3, [resumed()], "two"), true);
      assert.equal(await store.append("a", 1, entries, "one"), false);
      assert.equal(await store.append("a", 3, [resumed()], "one"), false);
      assert.equal((await store.read("a")).length, 4);
    });

    waitsTest("are due when they are woken, or are to be cancelled", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a", "b", "c", "d");
      for (const id of ["a", "b", "c"]) await store.append(id, 1, [waiting({ inMs: HOUR_MS })], "one");
      assert.equal(await waits.wake("a", 1), false);
      assert.equal(await waits.wake("a", 2), true);
      assert.equal(await waits.wake("d", 1), false, "it does not wait");
      assert.equal(await waits.wake("e", 0), false);
      assert.deepEqual(await dueIn(of), ["a"]);
      if (store.requestCancel === undefined) return;
      const cancel = { reason: "left", at: 5 };
      for (const id of ["b", "d"]) await store.requestCancel(id, cancel);
      assert.deepEqual((await dueIn(of)).toSorted(), ["a", "b"]);

      const asked = await store.append("d", 1, [waiting({ signals: ["ok"] })], "one");
      assert.deepEqual(asked, { cancel, isDue: true });
      assert.deepEqual((await dueIn(of)).toSorted(), ["a", "b", "d"]);
    });

    waitsTest("that are marked as unfit are not due for that release", async (of) => {
      const { store } = of;
      await begunIn(of, "a");
      await store.append("a", 1, [waiting({ inMs: 0 })], "one");
      await store.markUnfit?.("a", 2, { release: "one", reason: "no node" });

      assert.deepEqual(await dueIn(of), store.markUnfit === undefined ? ["a"] : []);
      assert.deepEqual(await dueIn(of, { release: "two" }), ["a"]);
    });

    waitsTest("may go on in a new log, which replaces the one before and is due", async (of) => {
      const { store, waits } = of;
      await begunIn(of, "a");
      await store.append("a", 1, [checkpoint(1)], "one");
      await waits.signal("a", signal("ok", "1"));
      const next = (known: number) =>
        begun({ continues: known, epoch: 2, input: known } as Partial<RunEntry>);
      assert.equal(await store.append("a", 1, [next(1)], "one"), false);
      const replaced = await store.append("a", 2, [next(2)], "one");

      assert.deepEqual(replaced, { isDue: true });
      assert.equal(await store.append("a", 2, [next(2)], "one"), true, "asked again");
      assert.deepEqual(await store.read("a"), [next(2)]);
      assert.deepEqual(await dueIn(of), ["a"]);
      assert.equal((await waits.signals("a", ["ok"])).length, 1);
      assert.equal(await store.append("a", 3, [resumed(), checkpoint(2)], "two"), true);
      assert.deepEqual(await store.read("a"), [next(2), resumed(), checkpoint(2)]);
      const glance = await store.glance?.("a", true);
      assert.deepEqual([glance?.entries ?? 5, glance?.begun ?? next(2)], [5, next(2)]);
      await store.append("a", 5, [next(5)], "two");
      await store.append("a", 6, [ended], "two");
      assert.deepEqual(await store.read("a"), [next(5), ended]);
    });

    waitsTest("are told of the end of another run once", async (of) => {
      const { store, waits } = of;
      for (const id of ["a", "b", "c"])
        await store.append(id, 0, [begun({ tells: "p" } as Partial<RunEntry>)]);
      await begunIn(of, "d");
      for (const id of ["b", "c", "d"]) await store.append(id, 1, [ended]);
      const untold = (...ids: string[]) => ids.map((id) => ({ id, tells: "p" }));
      assert.deepEqual(await waits.untold(9), untold("b", "c"));
      assert.deepEqual(await waits.untold(1), untold("b"));
      await waits.told("b");
      await waits.told("unknown");

      assert.deepEqual(await waits.untold(9), untold("c"));
    });
  });
}
