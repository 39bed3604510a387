import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { Secret, Sensitive } from "framework";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import type { RedactorBounds } from "#schema/redaction/redacted-copy.js";
import { compileRedactor } from "#schema/redaction/redactor.js";
import { anyText } from "../../support/any-text.js";
import { anyValue, Held } from "../../support/any-value.js";
import {
  hidden,
  PLAIN_NAMES,
  PLANTED,
  PUBLIC,
  planted,
  SECRET_NAMES,
} from "../../support/planted-secrets.js";

const shown = (value: unknown, schema?: TSchema, bounds: RedactorBounds = {}) =>
  JSON.parse(JSON.stringify(compileRedactor({ ...(schema && { schema }), ...bounds }).redact(value).value));

const MASK = "[redacted]";

describe("no secret comes out", () => {
  const anyPlanted = planted.map(({ schema, value }) => ({ schema, held: new Held(value) }));

  test("that stands under a mark or a name, whatever the shape", () => {
    fc.assert(
      fc.property(anyPlanted, ({ schema, held }) => {
        const { value, isCut } = compileRedactor({ schema, maxBytes: 1_000_000, maxDepth: 100 }).redact(
          held.value,
        );
        const text = JSON.stringify(value);

        assert.ok(!text.includes(PLANTED), text);
        assert.ok(!isCut);
      }),
      { numRuns: 300 },
    );
  });

  test("that stands under a mark, whatever the bounds", () => {
    fc.assert(
      fc.property(
        anyPlanted,
        fc.nat({ max: 5 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 64, max: 300 }),
        ({ schema, held }, depth, maxValues, maxBytes) => {
          const redactor = compileRedactor({ schema, maxDepth: depth + 1, maxValues, maxBytes });
          const text = JSON.stringify(redactor.redact(held.value).value);

          assert.ok(!text.includes(PLANTED.slice(0, 6)), text);
          assert.ok(Buffer.byteLength(text) <= maxBytes, text);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("that stands under a name, without a schema", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_NAMES), hidden, (name, value) => {
        for (const holder of [{ [name]: value }, new Map([[name, value]]), [{ deep: { [name]: value } }]])
          assert.ok(!JSON.stringify(shown(holder)).includes(PLANTED));
        assert.deepEqual(compileRedactor().redact(value, name).value, MASK);
      }),
    );
  });

  test("that a text has under a name, in a form, a header, JSON, or JSON in JSON", () => {
    const spelled = (name: string, secret: string): readonly string[] => [
      `a=1&${encodeURIComponent(name)}=${encodeURIComponent(secret)}&b=2`,
      JSON.stringify({ a: 1, [name]: secret, b: 2 }),
      JSON.stringify(JSON.stringify({ a: 1, [name]: secret, b: 2 })),
      JSON.stringify({ a: JSON.stringify({ a: JSON.stringify({ [name]: secret }) }) }),
      JSON.stringify({ [name]: [secret, { deep: secret }] }, null, 2),
      `${name}: ${secret}`,
      `POST failed: { ${name} = '${secret}' }`,
    ];
    const secret = fc
      .array(fc.constantFrom(PLANTED, '"', "\\", "\n", "ü", "}"), { maxLength: 6 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_NAMES), secret, fc.nat({ max: 5 }), (name, ends, way) => {
        const text = spelled(name, way < 5 ? PLANTED + ends : PLANTED)[way] as string;

        assert.ok(!JSON.stringify(shown(text)).includes(PLANTED), `${text}\n${shown(text)}`);
      }),
      { numRuns: 300 },
    );
  });

  test("that a text has in a shape that says so", () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(PLANTED).toString("base64url")}.c2lnbmF0dXJl`;
    const pem = `-----BEGIN RSA PRIVATE KEY-----\n${PLANTED}\n-----END RSA PRIVATE KEY-----`;

    for (const [text, wanted] of [
      ["Bearer hunter2planted", `Bearer ${MASK}`],
      ["sent Basic aHVudGVyMjpwbGFudGVk to it", `sent Basic ${MASK} to it`],
      [`is ${jwt} good?`, `is ${MASK} good?`],
      [`postgres://me:${PLANTED}@db:5432/x?y=1`, `postgres://${MASK}@db:5432/x?y=1`],
      [`a ${pem} b`, `a ${MASK} b`],
      [
        JSON.stringify(JSON.stringify({ pin: `${PLANTED}"`, plan: "b" })),
        String.raw`"{\"pin\":\"${MASK}\",\"plan\":\"b\"}"`,
      ],
      [`Cookie: a=1; b=${PLANTED}`, `Cookie: ${MASK}`],
    ] as const)
      assert.equal(shown(text), wanted);
  });

  test("of an address that was cut before its host", () => {
    const text = `${"x".repeat(8100)} postgres://me:${PLANTED}${"y".repeat(200)}@db/x`;

    assert.ok(!JSON.stringify(shown(text)).includes(PLANTED.slice(0, 4)));
  });

  test("of a value that departs from its schema: what it marks anywhere is hidden where it says nothing", () => {
    const schema = Type.Object({
      paid: Type.Object({ digits: Sensitive(Type.String()), owner: Type.String() }),
      digits: Type.Number(),
    });

    assert.deepEqual(shown([{ digits: PLANTED, owner: PUBLIC }], schema), [{ digits: MASK, owner: PUBLIC }]);
    assert.deepEqual(shown({ paid: { digits: 1, owner: "me" }, digits: 3 }, schema), {
      paid: { digits: MASK, owner: "me" },
      digits: 3,
    });
  });

  test("where a reference means nothing, and something else is marked", () => {
    const lost = Type.Unsafe({ properties: { a: { $ref: "nothing" }, b: { type: "string" } } });

    assert.deepEqual(shown({ a: [1], b: 2 }, lost), { a: [1], b: 2 });
    assert.deepEqual(
      shown({ x: { a: [1], b: 2 } }, Type.Object({ x: lost, pin: Sensitive(Type.String()) })),
      { x: { a: MASK, b: 2 } },
    );
  });

  test("of a Secret, wherever it stands", () => {
    const secret = new Secret(PLANTED, `shown of ${PLANTED}`);

    assert.deepEqual(shown({ a: secret, b: [secret], c: new Map([["d", secret]]) }), {
      a: MASK,
      b: [MASK],
      c: { d: MASK },
    });
  });
});

describe("a copy", () => {
  test("is JSON and within its bounds, whatever it was made of", () => {
    fc.assert(
      fc.property(
        anyValue(),
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 64, max: 20_000 }),
        ({ value }, maxDepth, maxValues, maxBytes) => {
          const copy = compileRedactor({ maxDepth, maxValues, maxBytes }).redact(value).value;
          const text = JSON.stringify(copy);

          assert.ok(Buffer.byteLength(text) <= maxBytes, `${Buffer.byteLength(text)} of ${maxBytes}`);
          assert.equal(JSON.stringify(JSON.parse(text)), text);
          let values = 0;
          JSON.parse(text, (key, part) => {
            if (key !== "...") values += 1;
            return part;
          });
          assert.ok(depthOf(copy) <= maxDepth);
          // A list says in an item more what it has not.
          assert.ok(values <= maxValues * 2 + 1);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of plain JSON without secrets is the same, without its bounds", () => {
    // `pw:0` says no secret as a name, and has one as a text, which a name is too.
    const isPlain = (text: string) => !/[=:]/.test(text);
    const name = fc.string({ maxLength: 20 }).filter((text) => !isSensitiveName(text) && isPlain(text));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
        anyText({ maxLength: 30 }).filter(isPlain),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(value, (given) => {
        assert.deepEqual(
          JSON.stringify(compileRedactor({ maxBytes: 1_000_000 }).redact(given).value),
          JSON.stringify(given),
        );
      }),
      { numRuns: 300 },
    );
  });

  test("keeps what no mark and no name hides", () => {
    const everything = Object.fromEntries(PLAIN_NAMES.map((name) => [name, PUBLIC]));

    assert.deepEqual(shown(everything), everything);
    assert.deepEqual(PLAIN_NAMES.filter(isSensitiveName), []);
  });

  test("shows what only JavaScript has in words", () => {
    assert.deepEqual(
      shown({
        big: 2n ** 64n,
        none: undefined,
        nan: Number.NaN,
        at: new Date(0),
        never: new Date(Number.NaN),
        map: new Map<unknown, unknown>([
          ["k", 1],
          [{}, 2],
        ]),
        set: new Set([1]),
        bytes: Buffer.from("abc"),
        stream: Readable.from([]),
        web: new ReadableStream(),
        blob: new Blob(["x"]),
        later: Promise.resolve(1),
        url: new URL("http://a/b"),
        run: () => {},
        symbol: Symbol("x"),
        boxed: Object(3),
        proxy: new Proxy({}, {}),
        bad: new TypeError("no", { cause: 1 }),
      }),
      {
        big: "18446744073709551616",
        nan: "NaN",
        at: "1970-01-01T00:00:00.000Z",
        never: "[no date]",
        map: { k: 1, "[object]": 2 },
        set: [1],
        bytes: "[3 bytes]",
        stream: "[stream]",
        web: "[stream]",
        blob: "[stream]",
        later: "[promise]",
        url: "http://a/b",
        run: "[function]",
        symbol: "[symbol]",
        boxed: 3,
        proxy: "[proxy]",
        bad: { type: "TypeError" },
      },
    );
  });

  test("is made without running the code of what it is made of", () => {
    const ran: string[] = [];
    const run = (what: string) => () => {
      ran.push(what);
      throw new Error(what);
    };
    class Odd extends Map {
      override get size(): number {
        return run("size")();
      }
      override entries = run("entries");
      override [Symbol.iterator] = run("iterator");
    }
    const value = {
      get getter() {
        return run("getter")();
      },
      toJSON: run("toJSON"),
      list: Object.defineProperty([1, 2], 0, { get: run("item"), enumerable: true }),
      map: new Odd(),
      proxy: new Proxy({}, { get: run("get"), ownKeys: run("ownKeys"), getPrototypeOf: run("prototype") }),
      below: Object.create(new Proxy({}, { get: run("below"), getPrototypeOf: run("below") })),
      error: Object.defineProperty(new Error("x"), "message", { get: run("message") }),
      bytes: Object.defineProperty(new Uint8Array(2), "byteLength", { get: run("byteLength") }),
      text: { toString: run("toString"), valueOf: run("valueOf"), [Symbol.toPrimitive]: run("primitive") },
    };

    assert.deepEqual(shown(value), {
      getter: "[getter]",
      toJSON: "[function]",
      list: ["[getter]", 2],
      map: {},
      proxy: "[proxy]",
      below: "[object]",
      error: { type: "Error" },
      bytes: "[2 bytes]",
      text: { toString: "[function]", valueOf: "[function]" },
    });
    assert.deepEqual(ran, []);
  });

  test("says where a cycle is, and repeats what only stands twice", () => {
    const shared = { a: 1 };
    const circle: Record<string, unknown> = { shared, again: shared };
    circle["self"] = circle;

    assert.deepEqual(shown(circle), { shared, again: shared, self: "[circular]" });
  });

  test("of an object of very many members lists them once, and reads their values each time", (t) => {
    const many: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i += 1) many[`member${i}`] = i;
    const keys = t.mock.method(Object, "keys");
    const listed = () => keys.mock.calls.filter(({ arguments: [of] }) => of === many).length;
    const first = shown(many);
    many["member0"] = "changed";
    const second = shown(many);

    assert.equal(listed(), 1);
    assert.deepEqual([first["member0"], second["member0"]], [0, "changed"]);
    assert.equal(second["..."], first["..."]);
  });

  test("says how much it has left out", () => {
    assert.deepEqual(shown([1, 2, 3, 4], undefined, { maxValues: 3 }), [1, 2, "2 more"]);
    assert.deepEqual(shown({ a: 1, b: 2, c: 3 }, undefined, { maxValues: 2 }), { a: 1, "...": "2 more" });
    assert.deepEqual(shown({ a: { b: { c: 1 } } }, undefined, { maxDepth: 2 }), { a: { b: "[object]" } });
    assert.match(shown("x".repeat(9000)), /^x{8000,8180}\.\.\. of 9000 characters$/);
    assert.equal(compileRedactor({ maxDepth: 1 }).redact({ a: [] }).isCut, true);
    assert.equal(compileRedactor().redact({ a: [] }).isCut, false);
  });
});

test("bounds in which nothing could be written are refused", () => {
  for (const bounds of [{ maxBytes: 63 }, { maxDepth: 0 }, { maxValues: 1.5 }, { maxByte: 100 } as object])
    assert.throws(() => compileRedactor(bounds), { code: "CONFIG_INVALID" });
});

describe("Sensitive", () => {
  test("is a keyword in JSON Schema that outlives Optional, Partial and Pick", () => {
    const Card = Type.Object({ digits: Sensitive(Type.String()), owner: Type.String() });
    const marked = { type: "string", "x-sensitive": true };

    for (const schema of [Card, Type.Partial(Card), Type.Pick(Card, ["digits"]), Type.Composite([Card])])
      assert.deepEqual(JSON.parse(JSON.stringify(schema)).properties.digits, marked);
    assert.deepEqual(JSON.parse(JSON.stringify(Type.Optional(Sensitive(Type.String())))), marked);
  });

  test("leaves the schema that it was made of as it is", () => {
    const text = Type.String();
    Sensitive(text);

    assert.ok(!("x-sensitive" in text));
  });

  test("counts on a whole object, in a dependent schema, and by a reference to the root", () => {
    const whole = Sensitive(Type.Object({ a: Type.String() }));
    const loop = Type.Unsafe({
      properties: { next: { $ref: "#" }, digits: { "x-sensitive": "yes" } },
      dependentSchemas: { card: { properties: { owner: { "x-sensitive": true } } } },
    });

    assert.deepEqual(shown({ a: 1 }, whole), MASK);
    assert.deepEqual(shown({ next: { next: { digits: 1, owner: 2, a: 3 } } }, loop), {
      next: { next: { digits: MASK, owner: MASK, a: 3 } },
    });
  });
});
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("a value that its schema refused", () => {
  const Address = Type.Object({ street: Sensitive(Type.String()), city: Type.String() });
  const schema = Type.Object({ name: Type.String(), home: Address, notes: Type.Array(Address) });
  const unfit = (value: unknown, of: TSchema = schema) =>
    compileRedactor({ schema: of }).redactUnfit(value).value;

  test("shows what is in a declared place", () => {
    const notes = [{ street: PLANTED, city: "X" }];

    assert.deepEqual(unfit({ name: 5, home: { street: PLANTED, city: 7 }, notes }), {
      ...{ name: 5, home: { street: MASK, city: 7 }, notes: [{ street: MASK, city: "X" }] },
    });
  });

  test("has nothing in place of, or beside, what is marked", () => {
    for (const value of [
      PLANTED,
      [PLANTED],
      { home: PLANTED },
      { home: [PLANTED] },
      { home: [{ street: PLANTED }] },
      { notes: { street: PLANTED } },
      { notes: [PLANTED] },
      { notes: [[PLANTED]] },
      { hom: { street: PLANTED } },
      { home: { streat: PLANTED } },
    ])
      assert.doesNotMatch(JSON.stringify(unfit(value)), new RegExp(PLANTED), JSON.stringify(value));
  });

  test("is shown as any value where its schema marks nothing", () => {
    assert.deepEqual(unfit({ a: 1, token: PLANTED }, Type.Object({ b: Type.String() })), {
      ...{ a: 1, token: MASK },
    });
  });
});
