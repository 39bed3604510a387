// Contract of run stores that keep requests to cancel.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunFilter, RunStore } from "#core/ports/run-store.js";
import { begun, checkpoint, ended, resumed, stuck } from "./run-entries.js";

interface Opened {
  readonly store: RunStore;
}

export function runCancelContract(name: string, open: () => Promise<Opened> | Opened): void {
  const idsIn = async (store: RunStore, filter: RunFilter): Promise<readonly string[]> =>
    (await store.unfinished(filter)).map(({ id }) => id);

  describe(`runs to cancel in ${name}`, () => {
    test("keep one request to cancel them, the first, which every append answers from then on", async () => {
      const { store } = await open();
      const { requestCancel, ownership } = store;
      if (requestCancel === undefined || ownership === undefined)
        return assert.equal(requestCancel, ownership, "both or none");
      const first = { reason: "left 😀", at: 5, actor: "eve" };
      const states = async () => [await ownership("a"), await ownership("b")];
      assert.equal(await requestCancel("a", first), undefined, "an unknown run");
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()], "one");
      assert.deepEqual(await states(), Array(2).fill({ state: "running", host: "one", isAlive: false }));

      await store.beat("one", 10_000);
      const requested = { state: "running", host: "one", isAlive: true, cancel: first };
      assert.deepEqual(await requestCancel("a", first), requested);
      assert.deepEqual(await requestCancel("a", { reason: "again", at: 6 }), requested);
      assert.deepEqual(await store.append("a", 1, [checkpoint(1)], "one"), { cancel: first });
      assert.equal(await store.append("a", 1, [checkpoint(2)], "one"), false);
      assert.equal(await store.append("b", 1, [checkpoint(1)], "one"), true);
      assert.deepEqual(await store.append("a", 2, [resumed(), checkpoint(2)], "two"), { cancel: first });
      assert.deepEqual(await states(), [
        { ...requested, host: "two", isAlive: false },
        { state: "running", host: "one", isAlive: true },
      ]);
      assert.deepEqual(await idsIn(store, { cancelled: true }), ["a"]);
      assert.deepEqual(await idsIn(store, { cancelled: true, of: "one" }), []);
      assert.deepEqual((await store.unfinished({ of: "two" }))[0]?.cancel, first);
    });

    test("that are over keep no request to cancel them, and stuck ones do", async () => {
      const { store } = await open();
      const { requestCancel } = store;
      if (requestCancel === undefined) return assert.equal(store.ownership, undefined, "both or none");
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()]);
      await store.append("a", 1, [ended]);
      await store.append("b", 1, [stuck]);
      const request = { reason: "late", at: 5 };

      assert.deepEqual(await requestCancel("a", request), { state: "ended", isAlive: false });
      assert.deepEqual(await requestCancel("b", request), {
        state: "stuck",
        isAlive: false,
        cancel: request,
      });
    });
  });
}
