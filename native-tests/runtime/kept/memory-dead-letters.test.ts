import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryDeadLetters } from "framework";
import { deadLetterStoreContract } from "framework/testing/contracts";

deadLetterStoreContract("memory", () => new MemoryDeadLetters());

describe("MemoryDeadLetters", () => {
  const letter = (id: string, input: unknown = 1) => ({
    id,
    kind: "step" as const,
    axon: "a",
    version: "1.0.0",
    node: "a/s",
    input,
    error: "no",
    timeline: undefined,
    failed_at: 1,
    attempts: 1,
    undone: [],
  });

  test("drops the oldest beyond its bound, and counts them", () => {
    const letters = new MemoryDeadLetters({ maxLetters: 2 });
    for (const id of ["a", "b", "c", "d"]) letters.send(letter(id));

    assert.deepEqual(
      letters.list().map(({ id }) => id),
      ["c", "d"],
    );
    assert.equal(letters.dropped, 2);
    assert.throws(() => new MemoryDeadLetters({ maxLetters: 0 }), { code: "CONFIG_INVALID" });
  });

  test("keeps objects and lists as they were", () => {
    const letters = new MemoryDeadLetters();
    const [object, list] = [{ n: 1 }, [{ n: 1 }]];
    letters.send(letter("object", object));
    letters.send(letter("list", list));
    object.n = 2;
    list.push({ n: 2 });

    assert.deepEqual([letters.get("object")?.input, letters.get("list")?.input], [{ n: 1 }, [{ n: 1 }]]);
  });

  test("keeps what cannot be copied as it is", () => {
    const letters = new MemoryDeadLetters();
    const input = { call: () => 1 };
    letters.send(letter("a", input));

    assert.equal(letters.get("a")?.input, input);
  });

  test("keeps what a class, a getter, a symbol or a Proxy gives, however deep it is", () => {
    class Money {
      readonly cents: number;
      constructor(cents: number) {
        this.cents = cents;
      }
    }
    const deep: { next?: object } = {};
    let last = deep;
    for (let i = 0; i < 200; i += 1) {
      const next = {};
      last.next = next;
      last = next;
    }
    const letters = new MemoryDeadLetters();
    for (const input of [
      { price: new Money(5) },
      [{ lines: [new Money(5)] }],
      { error: new Error("no") },
      {
        get now() {
          return 1;
        },
      },
      Object.defineProperty({}, "hidden", { value: 1 }),
      { [Symbol("s")]: 1 },
      { symbol: Symbol("s") },
      new Proxy({}, {}),
      new Date(1),
      deep,
    ]) {
      letters.send(letter("a", input));

      const kept = letters.get("a")?.input;
      if (input instanceof Date) assert.deepEqual(kept, input);
      else assert.equal(kept, input);
    }
  });

  test("copies what leads back to itself, dates and what stands there twice", () => {
    const letters = new MemoryDeadLetters();
    const line = { n: 1 };
    const input = { at: new Date(1), lines: [line, line], self: undefined as unknown };
    input.self = input;
    letters.send(letter("a", input));
    line.n = 2;
    input.at.setTime(2);

    const kept = letters.get("a")?.input as typeof input;
    assert.notEqual(kept, input);
    assert.equal(kept.self, kept);
    assert.deepEqual([kept.at, kept.lines], [new Date(1), [{ n: 1 }, { n: 1 }]]);
  });
});
