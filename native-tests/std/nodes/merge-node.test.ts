import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, isFault } from "framework";
import { MergeNode, type NodeFault } from "framework/std";

const shallow = (under: object, over: object) =>
  Axon.start<object>("merge")
    .then(new MergeNode(() => over))
    .execute(under);
const deep = (under: object, over: object) =>
  Axon.start<object>("merge")
    .then(new MergeNode(() => over, { deep: true }))
    .execute(under);

const TO_A_PROTOTYPE = ["__proto__", "constructor", "prototype"];
/** As JSON.parse makes them: a key `__proto__` is an own property. */
const jsonWith = (...keys: string[]) =>
  fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.constant(null), fc.array(fc.integer()), tie("object")),
    object: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...keys), tie("value")), { selector: ([key]) => key })
      .map((entries) => entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`))
      .map((members) => JSON.parse(`{${members}}`)),
  })).object;
const json = jsonWith("a", "b", "c", "toString");
const hostile = jsonWith("a", "b", ...TO_A_PROTOTYPE);

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

describe("MergeNode", () => {
  test("puts what it makes of the input over the input", () => {
    const axon = Axon.start<{ net: number }>("tax").then(new MergeNode(({ net }) => ({ gross: net * 1.5 })));

    assert.deepEqual(axon.execute({ net: 2 }), { net: 2, gross: 3 });
  });

  test("replaces whole properties, unless it is told to merge deep", () => {
    const [under, over] = [{ at: { x: 1, y: 1 }, n: 1 }, { at: { y: 2 } }];

    assert.deepEqual(shallow(under, over), { at: { y: 2 }, n: 1 });
    assert.deepEqual(deep(under, over), { at: { x: 1, y: 2 }, n: 1 });
  });

  test("replaces lists, null, dates and instances of classes", () => {
    class Money {
      readonly cents = 1;
    }
    const over = { list: [3], none: null, date: new Date(0), money: new Money() };
    const under = { list: [1, 2], none: { a: 1 }, date: { a: 1 }, money: { a: 1 } };

    assert.deepEqual(deep(under, over), over);
    assert.deepEqual(deep(over, under), under);
  });

  test("writes undefined where the patch has it, as spreading does", () => {
    assert.deepEqual(shallow({ a: 1 }, { a: undefined }), { a: undefined });
    assert.deepEqual(deep({ a: 1, b: { c: 1 } }, { a: undefined, b: { c: undefined } }), {
      a: undefined,
      b: { c: undefined },
    });
  });

  for (const [name, merge] of [["shallow", shallow] as const, ["deep", deep] as const]) {
    test(`(${name}) pollutes no prototype, whatever the keys`, () => {
      fc.assert(
        fc.property(hostile, hostile, (under, over) => {
          const merged = merge(under, over);

          assert.equal(Object.getPrototypeOf(merged), Object.prototype);
          assert.deepEqual(Object.keys(Object.prototype), []);
          for (const name of TO_A_PROTOTYPE) assert.equal(Object.hasOwn(merged, name), false);
        }),
      );
    });

    test(`(${name}) changes neither side`, () => {
      fc.assert(
        fc.property(hostile, hostile, (under, over) => {
          const before = JSON.stringify([under, over]);
          merge(under, over);

          assert.equal(JSON.stringify([under, over]), before);
        }),
      );
    });

    test(`(${name}) is the same the second time, and with nothing`, () => {
      fc.assert(
        fc.property(json, json, (under, over) => {
          const merged = merge(under, over) as object;

          assert.deepEqual(merge(merged, over), merged);
          assert.deepEqual(merge(merged, {}), merged);
          assert.deepEqual(merge({}, merged), merged);
        }),
      );
    });
  }

  test("is spreading, but for the keys that lead to a prototype", () => {
    fc.assert(
      fc.property(hostile, hostile, (under, over) => {
        const spread = Object.entries({ ...under, ...over }).filter(([key]) => !TO_A_PROTOTYPE.includes(key));

        assert.deepEqual(shallow(under, over), Object.fromEntries(spread));
      }),
    );
  });

  test("goes through no key __proto__ of an object within", () => {
    const patch = JSON.parse('{ "a": { "__proto__": { "admin": true }, "constructor": { "x": 1 } } }');
    const merged = deep({ a: { b: 1 } }, patch) as { a: { admin?: boolean; b: number } };

    assert.deepEqual(Object.keys(merged.a), ["b"]);
    assert.equal(merged.a.admin, undefined);
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  test("merges 64 levels, and faults at one more", () => {
    assert.deepEqual(deep(nested(63), nested(63)), nested(63));
    const outcome = deep(nested(64), nested(64));

    assert.ok(isFault(outcome));
    assert.equal((outcome.error as NodeFault<"MERGE_TOO_DEEP">).code, "MERGE_TOO_DEEP");
    assert.deepEqual(deep({ a: 1 }, nested(100)), nested(100), "what one side alone has is not gone through");
  });
});
