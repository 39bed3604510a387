// Contract of dead letter stores.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { DeadLetter, DeadLetterStore } from "#core/ports/dead-letter.js";

const letter = (id: string, fields: Partial<DeadLetter> = {}): DeadLetter => ({
  id,
  kind: "step",
  axon: "orders",
  version: "1.0.0",
  node: "orders/pay",
  input: { qty: 1 },
  error: { kind: "declined" },
  timeline: undefined,
  failed_at: 1,
  attempts: 1,
  undone: [],
  ...fields,
});

/** Tests of a DeadLetterStore. `open` is called once a test: each store begins empty. */
export function deadLetterStoreContract(
  name: string,
  open: () => Promise<DeadLetterStore> | DeadLetterStore,
): void {
  describe(`dead letters in ${name}`, () => {
    test("are listed as they came, and shown one by one", async () => {
      const store = await open();
      for (const id of ["b", "a", "c"]) await store.send(letter(id));

      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ["b", "a", "c"],
      );
      assert.deepEqual(await store.get("a"), letter("a"));
      assert.equal(await store.get("z"), undefined);
    });

    test("are listed by Axon and node, and at most so many", async () => {
      const store = await open();
      await store.send(letter("1"));
      await store.send(letter("2", { axon: "other" }));
      await store.send(letter("3", { node: "orders/ship" }));
      await store.send(letter("4"));
      const ids = async (filter: Parameters<DeadLetterStore["list"]>[0]) =>
        (await store.list(filter)).map(({ id }) => id);

      assert.deepEqual(await ids({ axon: "orders" }), ["1", "3", "4"]);
      assert.deepEqual(await ids({ node: "orders/pay", axon: "orders" }), ["1", "4"]);
      assert.deepEqual(await ids({ limit: 2 }), ["1", "2"]);
    });

    test("are counted by Axon and node, however many are listed, where the store can count", async () => {
      const store = await open();
      // The store need not keep it.
      if (store.count === undefined) return;
      assert.equal(await store.count(), 0);
      for (let n = 0; n < 120; n += 1) await store.send(letter(String(n), n < 3 ? { axon: "other" } : {}));
      await store.send(letter("0", { axon: "other", attempts: 2 }));
      await store.remove("1");

      assert.equal(await store.count(), 119);
      assert.equal(await store.count({ axon: "orders", limit: 5 }), 117);
      assert.equal(await store.count({ axon: "other", node: "orders/pay" }), 2);
      assert.equal(await store.count({ node: "orders/ship" }), 0);
    });

    test("are a hundred where no limit is given", async () => {
      const store = await open();
      for (let n = 0; n < 120; n += 1) await store.send(letter(String(n)));

      assert.equal((await store.list()).length, 100);
    });

    test("replace the letter of the same id, in its place", async () => {
      const store = await open();
      await store.send(letter("a"));
      await store.send(letter("b"));
      await store.send(letter("a", { attempts: 2 }));

      assert.equal((await store.get("a"))?.attempts, 2);
      assert.deepEqual(
        (await store.list()).map(({ id }) => id),
        ["a", "b"],
      );
    });

    test("are discarded once", async () => {
      const store = await open();
      await store.send(letter("a"));

      assert.equal(await store.remove("a"), true);
      assert.equal(await store.remove("a"), false);
      assert.deepEqual(await store.list(), []);
    });

    test("are claimed by one at a time, until the claim ends, where the store has claims", async () => {
      const store = await open();
      const { claim, release } = store;
      if (claim === undefined || release === undefined) return assert.equal(claim, release, "both or none");
      await store.send(letter("a"));
      assert.equal(await claim("z", "one", 60_000), false);
      const claims = await Promise.all(["one", "two"].map((by) => claim("a", by, 60_000)));
      assert.deepEqual(claims.toSorted(), [false, true]);
      const [by, other] = claims[0] === true ? ["one", "two"] : ["two", "one"];
      assert.equal(await claim("a", by, 60_000), true, "it is extended");
      await store.send(letter("a", { attempts: 2 }));
      await release("a", other);
      assert.equal(await claim("a", other, 60_000), false, "a claim is over where it is released by its own");
      await release("a", by);

      assert.equal(await claim("a", other, 1), true);
      while (!(await claim("a", by, 60_000))) await new Promise(setImmediate);
      await store.remove("a");
      await store.send(letter("a"));
      assert.equal(await claim("a", other, 60_000), true, "a letter that is sent anew has no claim");
    });

    test("do not change with the value that was sent", async () => {
      const store = await open();
      const input = { qty: 1, lines: [1] };
      await store.send(letter("a", { input }));
      input.qty = 9;
      input.lines.push(2);

      assert.deepEqual((await store.get("a"))?.input, { qty: 1, lines: [1] });
    });

    test("do not change with a letter that was read", async () => {
      const store = await open();
      await store.send(letter("a", { input: { lines: [1] }, error: { kind: "declined", tries: [1] } }));
      const stored = structuredClone(await store.get("a"));
      for (const read of [await store.get("a"), (await store.list())[0]]) {
        const changed = read as { attempts: number; input: { lines: number[] }; error: { tries: number[] } };
        changed.attempts = 9;
        changed.input.lines.push(2);
        changed.error.tries.push(2);
      }

      assert.deepEqual(await store.get("a"), stored);
      assert.deepEqual(await store.list(), [stored]);
    });
  });
}
