// Random schemas that name all that may be there, what fits them, and what does not.

import { Kind, type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

const KEYS = ["a", "b", "c"];

/** Of schemas that leave nothing open. */
export const { schema: anySchema } = fc.letrec<{ schema: TSchema }>((tie) => {
  const parts = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const part = parts.map(([first]) => first as TSchema);
  const leaf = fc.constantFrom<TSchema>(
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Null(),
    Type.Literal("x"),
  );
  const object = fc
    .dictionary(fc.constantFrom(...KEYS), fc.tuple(tie("schema"), fc.boolean()), { noNullPrototype: true })
    .map((inner) =>
      Type.Object(
        Object.fromEntries(
          Object.entries(inner).map(([key, [of, isOptional]]) => [key, isOptional ? Type.Optional(of) : of]),
        ),
      ),
    );
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      object,
      part.map((of) => Type.Array(of)),
      parts.map((of) => Type.Tuple(of)),
      part.map((of) => Type.Record(Type.String({ pattern: "^[abc]$" }), of)),
      parts.map((of) => Type.Union(of)),
      parts.map((of) => Type.Union(of)),
    ),
  };
});

/** JSON each of whose objects holds a secret. */
export const { value: oddValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>("x", "5", 5, true, null),
    fc
      .dictionary(fc.constantFrom(...KEYS), tie("value"), { noNullPrototype: true })
      .map((inner) => ({ ...inner, secret: { a: "hunter2" } })),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));

/** What fits the schema. */
export function fitting(schema: TSchema): fc.Arbitrary<unknown> {
  switch (schema[Kind]) {
    case "String":
      return fc.constantFrom("x", "y");
    case "Number":
      return fc.integer();
    case "Boolean":
      return fc.boolean();
    case "Null":
      return fc.constant(null);
    case "Literal":
      return fc.constant(schema["const"]);
    case "Array":
      return fc.array(fitting(schema["items"]), { maxLength: 3 });
    case "Tuple":
      return fc.tuple(...(schema["items"] as TSchema[]).map(fitting));
    case "Record":
      return fc.dictionary(fc.constantFrom(...KEYS), fitting(schema["patternProperties"]["^[abc]$"]), {
        noNullPrototype: true,
      });
    case "Union":
      return fc.oneof(...(schema["anyOf"] as TSchema[]).map(fitting));
    default: {
      const properties = Object.entries(schema["properties"] as Record<string, TSchema>);
      return fc.record(Object.fromEntries(properties.map(([key, of]) => [key, fitting(of)])), {
        requiredKeys: schema["required"] ?? [],
        noNullPrototype: true,
      });
    }
  }
}
