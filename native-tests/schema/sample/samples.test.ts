import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";
import { compileSchema } from "#schema/compile/validator.js";
import { Samples } from "#schema/sample/samples.js";
import { anySchema } from "../../support/any-schema.js";

const samples = (schema: TSchema) => new Samples(schema, "test");
const checkOf = (schema: TSchema) => compileSchema(schema, { owner: "test", origin: "json" }).check;
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("samples of any schema", () => {
  test("are valid, as the JSON that is sent of them", () => {
    fc.assert(
      fc.property(anySchema, seeds, (schema, seed) => {
        const check = checkOf(schema);

        assert.ok(check(asJson(samples(schema).random(seed))));
      }),
      { numRuns: 300 },
    );
  });

  test("are the same for the same seed", () => {
    fc.assert(
      fc.property(anySchema, seeds, (schema, seed) => {
        assert.deepEqual(samples(schema).random(seed), samples(schema).random(seed));
      }),
    );
  });

  test("begin with a template that is valid", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const check = checkOf(schema);

        assert.ok(check(asJson(samples(schema).template())));
      }),
      { numRuns: 300 },
    );
  });

  test("have edges of which it is known whether the schema takes them", () => {
    const seen = { valid: 0, invalid: 0, none: 0 };
    fc.assert(
      fc.property(anySchema, seeds, (schema, seed) => {
        const edge = samples(schema).edge(seed);
        if (edge === undefined) {
          seen.none += 1;
          return;
        }
        seen[edge.isValid ? "valid" : "invalid"] += 1;

        assert.equal(checkOf(schema)(asJson(edge.value)), edge.isValid, edge.note);
      }),
      { numRuns: 300 },
    );
    assert.ok(seen.valid > 50 && seen.invalid > 50 && seen.none < 100, JSON.stringify(seen));
  });
});

describe("a template", () => {
  test("shows each property once, a list with one item, and a schema in itself not again", () => {
    const Tree = Type.Recursive((This) =>
      Type.Object({ name: Type.String(), kids: Type.Array(This), next: Type.Optional(This) }),
    );
    const Order = Type.Object({
      customer: Type.String({ minLength: 1 }),
      note: Type.Optional(Type.String()),
      lines: Type.Array(Type.Object({ sku: Type.String(), qty: Type.Integer({ minimum: 1 }) })),
      paid: Type.Boolean(),
      tree: Tree,
    });

    assert.deepEqual(samples(Order).template(), {
      customer: "a",
      note: "",
      lines: [{ sku: "", qty: 1 }],
      paid: false,
      tree: { name: "", kids: [] },
    });
  });

  test("has what the schema gives as its default, or as an example", () => {
    const schema = Type.Object({
      currency: Type.String({ default: "EUR", examples: ["USD"] }),
      city: Type.String({ examples: ["Ulm"] }),
    });

    assert.deepEqual(samples(schema).template(), { currency: "EUR", city: "Ulm" });
  });
});

describe("samples of what is hard to draw", () => {
  const sampled = (schema: TSchema) => samples(schema).random(1);

  test("hold what several schemas demand together", () => {
    const both = Type.Intersect([
      Type.Object({ n: Type.Integer({ minimum: 10 }) }),
      Type.Object({ n: Type.Number({ maximum: 12, multipleOf: 3 }), at: Type.String({ format: "date" }) }),
    ]);

    assert.equal((sampled(both) as { n: number }).n, 12);
  });

  test("have the items that a list has to contain", () => {
    const list = Type.Array(Type.Integer({ minimum: 0, maximum: 99 }), {
      contains: Type.Literal(42),
      minContains: 2,
      maxItems: 5,
    });

    assert.ok((sampled(list) as number[]).filter((n) => n === 42).length >= 2);
  });

  test("have as many properties as they must", () => {
    const open = Type.Object({ a: Type.Optional(Type.Null()) }, { minProperties: 4, maxProperties: 4 });

    assert.equal(Object.keys(sampled(open) as object).length, 4);
  });

  test("end where a schema contains itself in many places", () => {
    const Wide = Type.Recursive((This) =>
      Type.Object({ kids: Type.Array(This, { minItems: 0, maxItems: 100 }), more: Type.Array(This) }),
    );

    for (let seed = 0; seed < 50; seed += 1)
      assert.ok(JSON.stringify(samples(Wide).random(seed)).length < 100_000);
  });

  test("are none where the schema has no value, or none that ends", () => {
    const endless = Type.Recursive((This) => Type.Object({ next: This }));
    const nothing = Type.Object({ a: Type.Integer({ minimum: 2, maximum: 1 }) });

    for (const schema of [endless, nothing, Type.Never()]) {
      const made = samples(schema);
      assert.deepEqual([made.template(), made.random(1), made.edge(1)], [undefined, undefined, undefined]);
    }
  });

  test("differ from seed to seed", () => {
    const made = samples(Type.Object({ id: Type.String({ format: "uuid" }), n: Type.Integer() }));

    assert.equal(
      new Set(Array.from({ length: 50 }, (_, seed) => JSON.stringify(made.random(seed)))).size,
      50,
    );
  });
});

describe("an edge", () => {
  const notes = (schema: TSchema) => {
    const made = samples(schema);
    return new Map(
      Array.from({ length: 300 }, (_, seed) => made.edge(seed)).map((edge) => [edge?.note, edge]),
    );
  };

  test("stands at each bound and right beyond it, with its place in words", () => {
    const found = notes(Type.Object({ qty: Type.Integer({ minimum: 1, maximum: 1000 }) }));

    assert.deepEqual(found.get("/qty: above its maximum of 1000"), {
      value: { qty: 1001 },
      isValid: false,
      note: "/qty: above its maximum of 1000",
    });
    assert.deepEqual(found.get("/qty: its minimum of 1")?.value, { qty: 1 });
    assert.equal(found.get("without 'qty', which is required")?.isValid, false);
  });

  test("counts a character of two UTF-16 units as one", () => {
    const found = notes(Type.String({ maxLength: 3 }));
    const edge = found.get("its full length of 3, with a character of two UTF-16 units");

    assert.equal(edge?.isValid, true);
    assert.equal([...String(edge?.value)].length, 3);
  });
});
