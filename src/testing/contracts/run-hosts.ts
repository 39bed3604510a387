// Contract of run stores that list hosts, and the node of each run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunStore } from "#core/ports/run-store.js";
import { begun, checkpoint, ended, resumed, stuck } from "./run-entries.js";

interface Opened {
  readonly store: RunStore;
  readonly pass: (ms: number) => Promise<void> | void;
}

export function runHostsContract(name: string, open: () => Promise<Opened> | Opened): void {
  describe(`hosts of runs in ${name}`, () => {
    test("list the node of each run, from its newest entry that has one", async () => {
      const { store } = await open();
      const nodeOf = async () => (await store.unfinished())[0]?.node;
      await store.append("a", 0, [begun()]);
      if ((await nodeOf()) === undefined) return;
      assert.equal(await nodeOf(), "orders/0");
      await store.append("a", 1, [checkpoint(1), checkpoint(2)]);
      assert.equal(await nodeOf(), "orders/2");
      await store.append("a", 3, [stuck]);
      assert.equal(await nodeOf(), "orders/2");
      await store.append("a", 4, [resumed({ node: "orders/7" })]);
      assert.equal(await nodeOf(), "orders/7");
      await store.append("a", 5, [{ kind: "failed", at: 9, error: "late", completed: [] }]);
      assert.equal(await nodeOf(), "orders/7");
    });

    test("are listed with their facts, their lease and the unfinished runs that they own", async () => {
      const { store, pass } = await open();
      if (store.hosts === undefined) return;
      const of = { name: "shop", version: "2.3.1", began_at: 1_700_000_000_000 };
      const facts = { pid: 7, machine: "pod-1", axons: { orders: "1.0.0" }, ...of };
      await store.beat("one", 10_000, facts);
      await store.beat("two", 10_000);
      for (const [id, host] of [
        ["a", "one"],
        ["b", "one"],
        ["c", "two"],
      ] as const)
        await store.append(id, 0, [begun()], host);
      await store.append("b", 1, [ended], "one");
      const listed = async () => new Map((await store.hosts?.())?.map((host) => [host.id, host] as const));

      const first = (await listed()).get("one");
      assert.deepEqual([first?.isAlive, first?.runs, first?.facts], [true, 1, facts]);
      assert.ok(first !== undefined && first.leftMs > 5000 && first.leftMs <= 10_000);
      assert.ok(first.beatAgoMs >= 0 && first.beatAgoMs < 5000);
      await pass(6000);
      await store.beat("one", 10_000, facts);
      await pass(6000);
      const later = await listed();
      assert.deepEqual([later.get("one")?.isAlive, later.get("one")?.facts], [true, facts]);
      assert.ok((later.get("one")?.beatAgoMs ?? 0) >= 6000);
      assert.notEqual(later.get("two")?.isAlive, true);
      await store.leave("one");
      assert.notEqual((await listed()).get("one")?.isAlive, true);
    });
  });
}
