import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { ProblemDetail } from "#core/bus/problem-detail.js";
import { respond } from "#core/bus/reply.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { Secret } from "#core/secrets/secret.js";
import { encode, encodeError } from "#runtime/kept/durable-value.js";
import { decode } from "#runtime/kept/stored-value.js";

/** Through a store's text and back. */
const kept = (value: unknown): unknown => decode(JSON.parse(JSON.stringify(encode(value))));

describe("a value that is kept", () => {
  test("comes back equal, whatever plain data it is", () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: false,
      withTypedArray: false,
    });
    fc.assert(
      fc.property(value, (given) => {
        // No invalid date equals another.
        fc.pre(!JSON.stringify(encode(given)).includes('["date",null]'));
        assert.deepStrictEqual(kept(given), given);
      }),
      { numRuns: 300 },
    );
  });

  test("comes back with its undefined, its signs, its bytes and its prototypes", () => {
    for (const value of [
      { a: undefined },
      -0,
      Number.NaN,
      [Number.POSITIVE_INFINITY, undefined],
      Buffer.from("x\u0000y"),
      Uint8Array.of(1, 2),
      Object.assign(Object.create(null), { id: "7" }),
      { $: ["date", 1] },
      { $: undefined },
      new ProblemDetail({ status: 409, code: "DECLINED", title: "Declined", extensions: { card: "x" } }),
      JSON.parse('{"__proto__": 1, "a": {"__proto__": {"$": 1}}}'),
    ])
      assert.deepStrictEqual(kept(value), value);
    const reply = respond({ status: 201, headers: { location: "/things/1" }, body: { id: 1 } });
    const { status, headers, body } = kept(reply) as typeof reply;
    assert.deepEqual([status, { ...headers }, body], [201, { location: ["/things/1"] }, { id: 1 }]);
    assert.ok(Number.isNaN((kept(new Date(Number.NaN)) as Date).getTime()));
  });

  test("is refused where it would come back as another, with the place", () => {
    class Money {
      readonly cents = 5;
    }
    const circle: { self?: unknown } = {};
    circle.self = [circle];
    let deep: unknown = 1;
    for (let n = 0; n < 300; n += 1) deep = [deep];
    const holes: unknown[] = [];
    holes[2] = 1;
    const computed = {
      get a() {
        return 1;
      },
    };
    for (const [value, path, message] of [
      [new Money(), "value", /an instance of Money/],
      [{ lines: [{ price: new Money() }] }, "value.lines[0].price", /an instance of Money/],
      [{ "a.b": () => 1 }, "value.a.b", /a function/],
      [[Symbol("s")], "value[0]", /a symbol/],
      [{ [Symbol("s")]: 1 }, "value", /symbol for a key/],
      [computed, "value.a", /computed or hidden/],
      [circle, "value.self[0]", /leads back/],
      [deep, `value${"[0]".repeat(200)}`, /deeper than 200/],
      [holes, "value", /holes/],
      [Object.assign([1], { extra: 1 }), "value", /properties of its own/],
      [new Map([[1, new Money()]]), "value{}", /Money/],
      [new Error("no"), "value", /an instance of Error/],
      [{ key: new Secret("k") }, "value.key", /an instance of Secret/],
      [Object.create({}), "value", /an instance of Object/],
      [Promise.resolve(), "value", /an instance of Promise/],
      [{ a: Object.assign(Uint8Array.of(1), { unit: "mm" }) }, "value.a", /bytes with properties/],
      [Object.assign(Buffer.of(1), { [Symbol("s")]: 1 }), "value", /bytes with properties/],
      [new (class extends Uint8Array {})(0), "value", /an object of a class/],
      [{ a: new Proxy({}, { ownKeys: () => assert.fail("read") }) }, "value", /throws when it is read/],
    ] as const)
      assert.throws(() => encode(value), { name: "NotDurable", path, message });
  });

  test("may stand in a value twice, for that is no circle", () => {
    const line = { n: 1 };

    assert.deepEqual(kept([line, line]), [{ n: 1 }, { n: 1 }]);
  });
});

describe("a large value", () => {
  /** Lists of lists, each of which stands in the next as often as it says. */
  const doubled = (times: readonly number[]): unknown =>
    times.reduce<unknown>((inner, n) => Array.from({ length: n }, () => inner), "leaf");

  test("is refused, whatever it is large by, and not written before", () => {
    for (const [value, path] of [
      ["x".repeat(101), "value"],
      [{ a: { b: "x".repeat(101) } }, "value.a.b"],
      [{ ["x".repeat(101)]: 1 }, "value"],
      [10n ** 200n, "value"],
      [new Uint8Array(100), "value"],
      [Buffer.alloc(100), "value"],
      [Array.from({ length: 101 }, () => 0), "value"],
      [new Map(Array.from({ length: 60 }, (_, n) => [n, n])), "value{}"],
      [new Set(Array.from({ length: 101 }, (_, n) => n)), "value{}"],
      [["a".repeat(60), "b".repeat(60)], "value[1]"],
    ] as const)
      assert.throws(() => encode(value, "value", 100), {
        name: "NotDurable",
        path,
        message: "a value of more than 100 characters, counted up to here",
      });
    // In tens it takes half a minute.
    assert.throws(() => encode(1n << 40_000_000n), /more than 1048576/);
  });

  test("is refused where it is large by what it has in several places", () => {
    const circleless = doubled(Array.from({ length: 60 }, () => 2));

    assert.throws(() => encode(circleless), { name: "NotDurable", message: /more than 1048576/ });
    assert.equal(encodeError(circleless), "What was thrown, of type object, cannot be shown as text");
  });

  test("is never refused where its text is no longer than that, and is never much longer", () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });
    const value = fc.oneof(
      anything,
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }).map(doubled),
      fc.uint8Array({ maxLength: 300 }),
      fc.bigInt({ min: 0n, max: 10n ** 400n }),
    );
    const seen = { kept: 0, refused: 0 };
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 400 }), (given, maxChars) => {
        let text: string;
        try {
          text = JSON.stringify(encode(given, "value", maxChars));
          seen.kept += 1;
          // Escaped, and with what says that it is a Map.
          assert.ok(text.length <= 40 * maxChars, `${text.length} for ${maxChars}`);
        } catch (error) {
          if ((error as Error).message.includes("holes")) return;
          assert.match((error as Error).message, /more than/);
          seen.refused += 1;
          let whole = "";
          try {
            whole = JSON.stringify(encode(given, "value", 100 * maxChars));
          } catch {
            return;
          }
          assert.ok(whole.length > maxChars, `${whole.length} was refused for ${maxChars}`);
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(seen.kept > 20 && seen.refused > 20, JSON.stringify(seen));
  });
});

describe("an error that is kept", () => {
  const back = (error: unknown): unknown => decode(JSON.parse(JSON.stringify(encodeError(error))));

  test("comes back as it was where it is plain data", () => {
    for (const error of ["no", { kind: "declined", tries: 2n }, undefined])
      assert.deepStrictEqual(back(error), error);
  });

  test("is a fault of the run again, whatever its cause was", () => {
    const cause = Object.assign(new TypeError("away"), { token: "secret" });
    const fault = runtimeFault({ code: "TRANSITION_PANIC", step: "s", cause });
    const read = back(fault);

    assert.deepEqual(
      { ...(read as object) },
      {
        code: "TRANSITION_PANIC",
        step: "s",
        cause: { name: "TypeError", message: "away" },
      },
    );
    assert.equal(Object.getPrototypeOf(read), Object.getPrototypeOf(fault));
  });

  test("is told in words where it is no data", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    assert.deepEqual(back(new RangeError("far")), { name: "RangeError", message: "far" });
    assert.deepEqual(
      back(
        new (class Refused {
          readonly why = "late";
        })(),
      ),
      { why: "late" },
    );
    // Not read as what the store itself writes.
    const named = { $: ["bigint", "none"], cause: () => 1 };
    assert.deepEqual(back(named), { $: ["bigint", "none"] });
    const cannot = "What was thrown, of type object, cannot be shown as text";
    assert.equal(back(circle), cannot);
    assert.equal(back(new Proxy({}, { getPrototypeOf: () => assert.fail("read") })), cannot);
    const odd = Object.defineProperty(new Error("no"), "message", { get: () => assert.fail("read") });
    assert.equal(back(odd), cannot);
    assert.equal(
      back(() => 1),
      null,
    );
  });
});

describe("what a store holds", () => {
  test("is refused where nobody has written it", () => {
    assert.throws(() => decode({ $: ["moon", 1] }), /unknown kind: 'moon'/);
    for (const json of [
      { $: "date" },
      { $: ["number", "7"] },
      { $: ["bigint", "0x7"] },
      { $: ["bigint", 7] },
      { $: ["date", "today"] },
      { $: ["bytes", "not base64"] },
      { $: ["buffer", [1, 2]] },
      { $: ["map", [["a"]]] },
      { $: ["map", { a: 1 }] },
      { $: ["set", "ab"] },
      { $: ["object", [[1, 2]]] },
      { $: ["fault", null] },
      { $: ["fault", {}] },
      [undefined],
      () => 1,
      Number.NaN,
    ] as never[])
      assert.throws(() => decode(json), { name: "TypeError", message: /unknown kind/ });
  });
});
