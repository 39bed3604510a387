// Contract of run stores that index labels.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunFilter, RunStore } from "#core/ports/run-store.js";
import { begun, checkpoint, ended, resumed } from "./run-entries.js";

interface Opened {
  readonly store: RunStore;
}

export function runLabelsContract(name: string, open: () => Promise<Opened> | Opened): void {
  const openIndexed = async (): Promise<RunStore | undefined> => {
    const { store } = await open();
    return store.findsLabels === true ? store : undefined;
  };
  const found = async (store: RunStore, label: string, more: RunFilter = {}): Promise<readonly string[]> => {
    const [of = "", ...value] = label.split(":");
    const runs = await store.unfinished({ ...more, label: { name: of, value: value.join(":") } });
    return runs.map(({ id }) => id);
  };

  describe(`labels of runs in ${name}`, () => {
    test("find the unfinished runs that have them, and are listed and read with them", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      const labels = { order: "1:2 ä", region: "eu" };
      await store.append("a", 0, [begun({ labels })]);
      await store.append("b", 0, [begun({ axon: "other" } as never)]);
      await store.append("b", 1, [checkpoint(1), { ...checkpoint(2), labels: { order: "7" } }]);
      await store.append("c", 0, [begun()]);

      const listed = (await store.unfinished()).map((run) => [run.id, run.labels]);
      assert.deepEqual(listed, [
        ["a", labels],
        ["b", { order: "7" }],
        ["c", undefined],
      ]);
      assert.deepEqual(await found(store, "order:1:2 ä"), ["a"]);
      assert.deepEqual(await found(store, "order:7"), ["b"]);
      assert.deepEqual(await found(store, "order:7", { axon: "orders" }), []);
      assert.deepEqual(await found(store, "region:7"), []);
      assert.deepEqual(await found(store, "region:EU"), []);
      assert.deepEqual((await store.read("b"))[2]?.labels, { order: "7" });
    });

    test("are those of the newest entry that has some", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      await store.append("a", 0, [begun({ labels: { order: "1" } })]);
      await store.append("a", 1, [{ ...checkpoint(1), labels: { order: "2", region: "eu" } }]);
      await store.append("a", 2, [checkpoint(2), resumed()]);

      assert.deepEqual((await store.unfinished())[0]?.labels, { order: "2", region: "eu" });
      assert.deepEqual(await found(store, "order:1"), []);
      assert.deepEqual(await found(store, "order:2"), ["a"]);
    });

    test("of a refused append are not kept", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      await store.append("a", 0, [begun()]);
      assert.equal(await store.append("a", 0, [begun({ labels: { order: "1" } })]), false);
      assert.equal(await store.append("a", 3, [{ ...checkpoint(1), labels: { order: "1" } }]), false);

      assert.deepEqual(await found(store, "order:1"), []);
    });

    test("are kept of each of many runs that are appended at once, with and without labels", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      const ids = Array.from({ length: 20 }, (_, n) => `run-${n}`);
      await Promise.all(
        ids.map((id, n) => store.append(id, 0, [begun(n % 2 === 0 ? {} : { labels: { order: id } })])),
      );

      const runs = await store.unfinished();
      assert.deepEqual(
        new Map(runs.map(({ id, labels }) => [id, labels?.["order"]])),
        new Map(ids.map((id, n) => [id, n % 2 === 0 ? undefined : id])),
      );
    });

    test("may be any text of 100 characters", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      const texts = ["", "\0 \ud800 '\" \\ \n", "😀".repeat(100), "__proto__"];
      for (const [n, order] of texts.entries())
        await store.append(`run-${n}`, 0, [begun({ labels: { order } })]);

      for (const [n, order] of texts.entries())
        assert.deepEqual(await found(store, `order:${order}`), [`run-${n}`]);
      assert.deepEqual(
        (await store.unfinished()).map(({ labels }) => labels?.["order"]),
        texts,
      );
    });

    test("are gone with a run that is removed or forgotten: another run of its id has none", async () => {
      const store = await openIndexed();
      if (store === undefined) return;
      for (const id of ["a", "b"]) await store.append(id, 0, [begun({ labels: { order: id } })]);
      await store.append("b", 1, [ended]);
      assert.deepEqual(await found(store, "order:b"), [], "an ended run is not listed");
      await store.remove("a");
      assert.equal(await store.forget(Date.now() + 1e9, 10), 1);

      for (const id of ["a", "b"]) await store.append(id, 0, [begun()]);
      assert.deepEqual(
        (await store.unfinished()).map(({ labels }) => labels),
        [undefined, undefined],
      );
      for (const id of ["a", "b"]) assert.deepEqual(await found(store, `order:${id}`), []);
    });
  });
}
