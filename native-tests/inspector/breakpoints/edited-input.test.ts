import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { editedInput, UneditableError } from "#inspector/breakpoints/edited-input.js";

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

  test("is refused where it would make plain data of an instance, and runs no getter", () => {
    class Money {
      amount = 5;
    }
    const lazy = {
      amount: 5,
      get boom(): never {
        return assert.fail("it ran");
      },
    };
    const shown = { "a/b": [{ amount: 5 }], n: 1 };
    for (const one of [new Money(), lazy, new Date(0)]) {
      const held = { "a/b": [one], n: 1 };
      const kept = editedInput({ ...shown, n: 2 }, shown, held) as typeof held;

      assert.equal(kept["a/b"][0], one);
      const refused = (error: unknown) =>
        error instanceof UneditableError && /'\/a~1b\/0'/.test(error.message);
      assert.throws(() => editedInput({ "a/b": [{ amount: 6 }], n: 1 }, shown, held), refused);
    }
    const bare = Object.assign(Object.create(null), { amount: 5 });
    assert.deepEqual(editedInput({ amount: 6 }, { amount: 5 }, bare), { amount: 6 });
  });

  test("reaches no prototype", () => {
    const edit = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const edited = editedInput(edit, { a: 0 }, { a: 0 }) as { admin?: boolean };

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
