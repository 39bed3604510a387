// What every store of runs does.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { RunEntry, RunStore } from "#core/run-store.js";

const position = (n: number) => ({ node: `orders/${n}`, input: { n }, bus: { Total: n }, jumps: 0 });
const begun = (fields: Partial<RunEntry> = {}): RunEntry =>
  ({ kind: "begun", at: 1, axon: "orders", version: "1.0.0", ...position(0), ...fields }) as RunEntry;
const checkpoint = (n: number): RunEntry => ({
  kind: "checkpoint",
  at: 1 + n,
  completed: [{ node: "orders/pay", input: null, output: [n] }],
  ...position(n),
});
const ended: RunEntry = { kind: "ended", at: 9, output: "done" };

export function runStoreContract(name: string, open: () => Promise<RunStore> | RunStore): void {
  describe(`runs in ${name}`, () => {
    test("have their entries in the order in which they came", async () => {
      const store = await open();
      assert.equal(await store.append("a", 0, [begun()]), true);
      assert.equal(await store.append("a", 1, [checkpoint(1), checkpoint(2)]), true);
      assert.equal(await store.append("a", 3, [ended]), true);

      assert.deepEqual(await store.read("a"), [begun(), checkpoint(1), checkpoint(2), ended]);
      assert.deepEqual(await store.read("b"), []);
    });

    test("refuse who knows fewer entries than there are, or more, and keep nothing of it", async () => {
      const store = await open();
      await store.append("a", 0, [begun()]);
      await store.append("a", 1, [checkpoint(1)]);

      for (const known of [0, 1, 3])
        assert.equal(await store.append("a", known, [checkpoint(2), checkpoint(3)]), false, String(known));
      assert.equal(await store.append("b", 1, [checkpoint(1)]), false);
      assert.deepEqual(await store.read("a"), [begun(), checkpoint(1)]);
      assert.deepEqual(await store.read("b"), []);
    });

    test("take one of many who append at once", async () => {
      const store = await open();
      await store.append("a", 0, [begun()]);
      const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => store.append("a", 1, [checkpoint(n)])));

      assert.equal(answers.filter((answer) => answer).length, 1);
      assert.equal((await store.read("a")).length, 2);
    });

    test("begin once under one id, also after they have ended", async () => {
      const store = await open();
      await store.append("a", 0, [begun()]);
      assert.equal(await store.append("a", 0, [begun()]), false);
      await store.append("a", 1, [ended]);

      assert.equal(await store.append("a", 0, [begun()]), false);
      assert.equal((await store.read("a")).length, 2);
    });

    test("are listed while they are unfinished, those that began first first", async () => {
      const store = await open();
      for (const id of ["b", "a", "c", "d"]) await store.append(id, 0, [begun()]);
      await store.append("e", 0, [begun({ axon: "other" } as never)]);
      await store.append("b", 1, [checkpoint(4)]);
      await store.append("c", 1, [ended]);
      const ids = async (filter: Parameters<RunStore["unfinished"]>[0]) =>
        (await store.unfinished(filter)).map(({ id }) => id);

      assert.deepEqual(await ids({}), ["b", "a", "d", "e"]);
      assert.deepEqual(await ids({ axon: "orders" }), ["b", "a", "d"]);
      assert.deepEqual(await ids({ limit: 2 }), ["b", "a"]);
      assert.deepEqual(await store.unfinished({ limit: 1 }), [
        { id: "b", axon: "orders", began_at: 1, at: 5 },
      ]);
    });

    test("are listed with the newest trace that their entries have", async () => {
      const store = await open();
      const mark = (digit: string) => ({ trace_id: digit.repeat(32), span_id: digit.repeat(16) });
      const resumed = (trace?: ReturnType<typeof mark>): RunEntry =>
        ({ kind: "resumed", at: 2, version: "1.0.0", ...position(0), ...(trace && { trace }) }) as RunEntry;
      const listed = async () => (await store.unfinished()).map(({ trace }) => trace);
      await store.append("a", 0, [begun()]);
      assert.deepEqual(await store.unfinished(), [{ id: "a", axon: "orders", began_at: 1, at: 1 }]);
      await store.append("b", 0, [begun({ trace: mark("1") })]);
      await store.append("b", 1, [checkpoint(1)]);
      assert.deepEqual(await listed(), [undefined, mark("1")]);

      await store.append("a", 1, [resumed(mark("2")), resumed(mark("3")), checkpoint(1)]);
      await store.append("b", 2, [resumed()]);
      assert.deepEqual(await listed(), [mark("3"), mark("1")]);
    });

    test("are unfinished again where they fail after they have ended", async () => {
      const store = await open();
      await store.append("a", 0, [begun()]);
      await store.append("a", 1, [ended]);
      assert.deepEqual(await store.unfinished(), []);
      await store.append("a", 2, [{ kind: "failed", at: 10, error: "late", completed: [] }]);

      assert.deepEqual(await store.unfinished(), [{ id: "a", axon: "orders", began_at: 1, at: 10 }]);
    });

    test("are a hundred where no limit is given", async () => {
      const store = await open();
      for (let n = 0; n < 120; n += 1) await store.append(String(n), 0, [begun()]);

      assert.equal((await store.unfinished()).length, 100);
    });

    test("are forgotten once, finished or not", async () => {
      const store = await open();
      for (const id of ["a", "b"]) await store.append(id, 0, [begun()]);
      await store.append("b", 1, [ended]);

      for (const id of ["a", "b"]) {
        assert.equal(await store.remove(id), true);
        assert.equal(await store.remove(id), false);
        assert.deepEqual(await store.read(id), []);
      }
      assert.deepEqual(await store.unfinished(), []);
    });

    test("do not change with what was appended, nor with what was read", async () => {
      const store = await open();
      const input = { lines: [1] };
      await store.append("a", 0, [begun({ input } as never)]);
      input.lines.push(2);
      const [first] = await store.read("a");
      (first as unknown as { input: { lines: number[] } }).input.lines.push(3);

      assert.deepEqual(await store.read("a"), [begun({ input: { lines: [1] } } as never)]);
    });

    test("keep any text and any JSON as it is", async () => {
      const store = await open();
      const input = JSON.parse('{"__proto__":{"a":1},"":"\\u0001\\ud83d\\ude00","n":[1e300,-1.5,null,true]}');
      const id = "run 'x'; \" % é 😀";
      await store.append(id, 0, [begun({ input } as never)]);

      assert.equal(JSON.stringify(await store.read(id)), JSON.stringify([begun({ input } as never)]));
    });

    test("are there although nothing is appended", async () => {
      const store = await open();
      await store.append("a", 0, [begun()]);

      assert.equal(await store.append("a", 1, []), true);
      assert.equal(await store.append("a", 0, []), false);
    });
  });
}
