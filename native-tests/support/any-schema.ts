// Random schemas with all that a route's input can be declared with: bounds, formats,
// patterns, unions, intersections, references, recursion.

import { type TSchema, Type } from "@sinclair/typebox";
import fc from "fast-check";

import { formats } from "#schema/formats/formats.js";

const NAMES = ["id", "name", "lines", "note", 'quo"te', "a/b~c"];
const PATTERNS = [
  "^[A-Z]{3}-\\d{4}$",
  "^(red|green|blue)$",
  "^[^a-z]+$",
  "^\\p{Lu}\\w*$",
  "x",
  "^a\\-b$",
].concat(["^(?=.*\\d)[a-z0-9]{4,12}$", "^\\d+(\\.\\d{1,2})?$", "^.{2,5}$", "[0-9]{2}$"]);

const bounds = (max: number) =>
  fc
    .tuple(fc.nat({ max }), fc.nat({ max }), fc.constantFrom("none", "least", "most", "both"))
    .map(([one, other, which]) => ({
      ...(which === "least" || which === "both" ? { least: Math.min(one, other) } : {}),
      ...(which === "most" || which === "both" ? { most: Math.max(one, other) } : {}),
    }));

const renamed = (given: { least?: number; most?: number }, least: string, most: string) => ({
  ...(given.least === undefined ? {} : { [least]: given.least }),
  ...(given.most === undefined ? {} : { [most]: given.most }),
});

const text = fc.oneof(
  bounds(40).map((given) => Type.String(renamed(given, "minLength", "maxLength"))),
  fc.constantFrom(...formats.keys()).map((format) => Type.String({ format })),
  fc.constantFrom(...PATTERNS).map((pattern) => Type.String({ pattern })),
  fc.constant(Type.RegExp(/^[a-f]+$/i)),
  fc.constant(
    Type.TemplateLiteral([
      Type.Literal("order-"),
      Type.Union([Type.Literal("1"), Type.Literal("2")]),
      Type.String(),
    ]),
  ),
);

/** As somebody writes bounds: with room for a value between them. */
const number = fc
  .record({
    from: fc.integer({ min: -5000, max: 5000 }),
    width: fc.integer({ min: 8, max: 3000 }),
    least: fc.constantFrom("minimum", "exclusiveMinimum", undefined),
    most: fc.constantFrom("maximum", "exclusiveMaximum", undefined),
    multipleOf: fc.constantFrom(undefined, 1, 2, 0.25, 0.01),
    isWhole: fc.boolean(),
  })
  .map(({ from, width, least, most, multipleOf, isWhole }) =>
    (isWhole ? Type.Integer : Type.Number)({
      ...(least && { [least]: from }),
      ...(most && { [most]: from + width }),
      ...(multipleOf && { multipleOf: isWhole ? Math.ceil(multipleOf) : multipleOf }),
    }),
  );

const leaf = fc.oneof<fc.Arbitrary<TSchema>[]>(
  text,
  number,
  fc.constantFrom<TSchema>(Type.Boolean(), Type.Null(), Type.Literal("x"), Type.Literal(7), Type.Unknown()),
);

const recursive = (inner: TSchema): TSchema =>
  Type.Recursive((This) =>
    Type.Object({ value: inner, next: Type.Optional(This), kids: Type.Array(This, { maxItems: 3 }) }),
  );
/** Under a name of its own: TypeBox keeps those of nested modules apart by nothing else. */
const imported = (inner: TSchema, name: string): TSchema =>
  Type.Module({
    [name]: Type.Object({ value: inner, either: Type.Union([Type.Ref(`${name}-end`), Type.Ref(name)]) }),
    [`${name}-end`]: Type.Object({ end: Type.Literal(true) }),
  }).Import(name) as TSchema;

/** All of them have values, which may be few. */
export const { schema: anySchema } = fc.letrec<{ schema: TSchema }>((tie) => {
  const schema = tie("schema");
  const object = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), fc.tuple(schema, fc.boolean()), {
        noNullPrototype: true,
        maxKeys: 4,
      }),
      fc.boolean(),
    )
    .map(([members, isClosed]) =>
      Type.Object(
        Object.fromEntries(
          Object.entries(members).map(([name, [of, isOptional]]) => [
            name,
            isOptional ? Type.Optional(of) : of,
          ]),
        ),
        isClosed ? { additionalProperties: false } : {},
      ),
    );
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      object,
      fc
        .tuple(schema, bounds(6))
        .map(([of, given]) => Type.Array(of, renamed(given, "minItems", "maxItems"))),
      fc
        .integer({ min: 0, max: 4 })
        .map((minItems) =>
          Type.Array(Type.Integer({ minimum: 0, maximum: 99 }), { minItems, uniqueItems: true }),
        ),
      fc.array(schema, { maxLength: 3 }).map((of) => Type.Tuple(of)),
      fc
        .tuple(fc.constantFrom(Type.String(), Type.Number()), schema)
        .map(([key, of]) => Type.Record(key, of)),
      fc.array(schema, { minLength: 1, maxLength: 3 }).map((of) => Type.Union(of)),
      schema.map((of) =>
        Type.Intersect([Type.Object({ left: of }), Type.Object({ right: Type.Optional(of) })]),
      ),
      schema.map(recursive),
      fc.tuple(schema, fc.uuid()).map(([inner, name]) => imported(inner, name)),
    ),
  };
});
