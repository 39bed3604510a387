import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault, Type } from "framework";
import { type NodeFault, SchemaValidator } from "framework/std";

const Order = Type.Object({ id: Type.String(), qty: Type.Integer({ minimum: 1 }) });
const axon = Axon.start<unknown>("check")
  .then(new SchemaValidator(Order))
  .thenFn("read", ({ qty }) => qty);

describe("SchemaValidator", () => {
  test("lets pass what fits its schema", () => {
    assert.equal(axon.execute({ id: "a", qty: 2 }), 2);
  });

  test("names every way in which a value does not fit", () => {
    const outcome = axon.execute({ qty: 0 });

    assert.ok(isFault(outcome));
    const { status, code, errors } = (outcome.error as NodeFault<"SCHEMA_MISMATCH">).toProblemDetail();
    assert.deepEqual([status, code], [422, "SCHEMA_MISMATCH"]);
    assert.deepEqual(errors, [
      { pointer: "/id", keyword: "required", expected: "this property" },
      { pointer: "/qty", keyword: "minimum", expected: "at least 1" },
    ]);
  });

  test("is drawn with its schema", () => {
    assert.equal(axon.schematic().nodes[1]?.output_schema, Order);
  });

  test("refuses a schema that cannot be checked", () => {
    assert.throws(() => new SchemaValidator(Type.String({ pattern: "(" })), {
      code: "SCHEMA_INVALID",
      message: /^SchemaValidator: /,
    });
  });
});
