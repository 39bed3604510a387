import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { editedInput } from "#inspector/breakpoints/edited-input.js";

describe("an edited input", () => {
  test("is the edit, where all was shown", () => {
    const json = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
    fc.assert(
      fc.property(json, json, (held, edit) => {
        const shown = structuredClone(held);

        assert.deepEqual(editedInput(edit, shown, held), edit);
      }),
      { numRuns: 500 },
    );
  });

  test("that is as it was shown is what was held, and no copy", () => {
    class Money {
      readonly amount = 5;
    }
    const held = { price: new Money(), at: new Date(0), tags: ["a"] };
    const shown = { price: { amount: 5 }, at: "1970-01-01T00:00:00.000Z", tags: ["a"] };

    assert.equal(editedInput(structuredClone(shown), shown, held), held);
    const edited = editedInput({ ...shown, tags: ["b"] }, shown, held) as typeof held;
    assert.equal(edited.price, held.price);
    assert.equal(edited.at, held.at);
    assert.deepEqual(edited.tags, ["b"]);
  });

  test("has what was masked in it, wherever that is, and new values where they were changed", () => {
    const held = {
      cards: [
        { pin: "1", n: 1 },
        { pin: "2", n: 2 },
      ],
      pin: "3",
    };
    const mask = "[redacted]";
    const shown = {
      cards: [
        { pin: mask, n: 1 },
        { pin: mask, n: 2 },
      ],
      pin: mask,
    };
    const edit = {
      cards: [
        { pin: mask, n: 10 },
        { pin: "9", n: 2 },
      ],
      pin: mask,
      more: mask,
    };

    assert.deepEqual(editedInput(edit, shown, held), {
      cards: [
        { pin: "1", n: 10 },
        { pin: "9", n: 2 },
      ],
      pin: "3",
      more: mask,
    });
  });

  test("loses what was taken out of it, and keeps what was not shown", () => {
    const held = { a: 1, b: 2, unseen: 3, list: [1, 2, 3, 4] };
    const shown = { a: 1, b: 2, "…": "1 more", list: [1, 2] };

    assert.deepEqual(editedInput({ a: 5, "…": "1 more", list: [9, 2] }, shown, held), {
      a: 5,
      unseen: 3,
      list: [9, 2, 3, 4],
    });
    assert.deepEqual(editedInput({ list: [1] }, shown, held), { list: [1], unseen: 3 });
  });

  test("reaches no prototype, and runs no getter", () => {
    const edit = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const held = {
      a: 0,
      get boom(): never {
        return assert.fail("it ran");
      },
    };
    const edited = editedInput(edit, { a: 0 }, held) as { admin?: boolean };

    assert.equal(edited.admin, undefined);
    assert.deepEqual(Object.getPrototypeOf(edited), Object.prototype);
  });

  test("is looked at no deeper than what was shown", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i += 1) deep = [deep];

    assert.equal((editedInput(deep, [1], [2]) as unknown[]).length, 1);
    assert.equal(editedInput(deep, 1, 2), deep);
  });
});
