import { Kind, type TSchema } from "@sinclair/typebox";
import { Errors, type ValueError, ValueErrorType } from "@sinclair/typebox/errors";

import type { SchemaError } from "#core/bus/schema-error.js";
import { withoutMarked } from "../redaction/marked-errors.js";
import type { MarkedPlaces } from "../redaction/marked-places.js";
import { failureOf } from "./conjunction.js";
import { leafFailures } from "./leaf-check.js";
import { meantBy } from "./recursion.js";

/** A body with a million mistakes must not cost a million errors. */
const MAX_ERRORS = 100;

/** A pointer contains the client's property names, which may be as long as the body. */
const MAX_POINTER = 256;

/**
 * Errors of `value` in the order of the schema, one per pointer and keyword, without values that
 * are `marked`.
 */
export function schemaErrors(schema: TSchema, value: unknown, marked?: MarkedPlaces): readonly SchemaError[] {
  const found = new Map<string, SchemaError>();
  const missing = new Set<string>();
  for (const error of errorsOf(schema, value)) {
    // TypeBox also reports the type of an absent value.
    if (error.type === ValueErrorType.ObjectRequiredProperty) missing.add(error.path);
    else if (missing.has(error.path)) continue;
    for (const { keyword, expected } of failuresOf(error)) {
      const whole = { pointer: error.path, keyword, expected };
      const told = marked === undefined ? whole : withoutMarked(whole, marked.root);
      const pointer =
        told.pointer.length > MAX_POINTER ? `${told.pointer.slice(0, MAX_POINTER)}...` : told.pointer;
      found.set(`${told.keyword} ${pointer}`, { ...told, pointer });
    }
    if (found.size >= MAX_ERRORS) break;
  }
  return [...found.values()].slice(0, MAX_ERRORS);
}

/** Errors of a value that a reference describes, below the place of the reference. */
function* errorsOf(
  schema: TSchema,
  value: unknown,
  at = "",
  seen = new Set<string>(),
): Generator<ValueError> {
  for (const error of Errors(schema, value)) {
    const path = at + error.path;
    const meant = error.type === ValueErrorType.Kind ? meantBy(error.schema) : undefined;
    if (meant === undefined) {
      yield { ...error, path };
      continue;
    }
    const place = `${String(error.schema[Kind])} ${path}`;
    if (seen.has(place)) continue;
    seen.add(place);
    yield* errorsOf(meant, error.value, path, seen);
  }
}

function failuresOf({ type, schema, value }: ValueError): readonly Omit<SchemaError, "pointer">[] {
  const told = OF_RULES.has(type) ? failureOf(schema) : undefined;
  if (told !== undefined) return told;
  const leaf = leafFailures(schema, value);
  if (leaf !== undefined && type !== ValueErrorType.ObjectRequiredProperty) return leaf;
  const describe = descriptions[type];
  return [
    describe === undefined
      ? { keyword: "type", expected: `a value of kind ${String(schema[Kind])}` }
      : describe(schema),
  ];
}

/** Error types of the schemas that `conjoin` adds, and of the conjunction. */
const OF_RULES = new Set([
  ValueErrorType.Intersect,
  ValueErrorType.Kind,
  ValueErrorType.Not,
  ValueErrorType.ObjectAdditionalProperties,
]);

type Describe = (schema: TSchema) => Omit<SchemaError, "pointer">;

const typed =
  (expected: string): Describe =>
  () => ({ keyword: "type", expected });
const limited =
  (keyword: string, words: string): Describe =>
  (schema) => ({
    keyword,
    expected: `${words} ${schema[keyword]}`,
  });
const items =
  (keyword: string, words: string): Describe =>
  (schema) => ({
    keyword,
    expected: `${words} ${schema[keyword]} ${schema[keyword] === 1 ? "item" : "items"}`,
  });
const properties =
  (keyword: string, words: string): Describe =>
  (schema) => ({
    keyword,
    expected: `${words} ${schema[keyword]} ${schema[keyword] === 1 ? "property" : "properties"}`,
  });

const descriptions: { readonly [T in ValueErrorType]?: Describe } = {
  [ValueErrorType.Array]: typed("an array"),
  [ValueErrorType.ArrayMinItems]: items("minItems", "at least"),
  [ValueErrorType.ArrayMaxItems]: items("maxItems", "at most"),
  [ValueErrorType.ArrayContains]: () => ({ keyword: "contains", expected: "an item that matches" }),
  [ValueErrorType.ArrayMinContains]: items("minContains", "at least this many matching items:"),
  [ValueErrorType.ArrayMaxContains]: items("maxContains", "at most this many matching items:"),
  [ValueErrorType.Boolean]: typed("a boolean"),
  [ValueErrorType.Null]: typed("null"),
  [ValueErrorType.Integer]: typed("an integer"),
  [ValueErrorType.IntegerMinimum]: limited("minimum", "at least"),
  [ValueErrorType.IntegerMaximum]: limited("maximum", "at most"),
  [ValueErrorType.IntegerExclusiveMinimum]: limited("exclusiveMinimum", "more than"),
  [ValueErrorType.IntegerExclusiveMaximum]: limited("exclusiveMaximum", "less than"),
  [ValueErrorType.IntegerMultipleOf]: limited("multipleOf", "a multiple of"),
  [ValueErrorType.Number]: typed("a number"),
  [ValueErrorType.NumberMinimum]: limited("minimum", "at least"),
  [ValueErrorType.NumberMaximum]: limited("maximum", "at most"),
  [ValueErrorType.NumberExclusiveMinimum]: limited("exclusiveMinimum", "more than"),
  [ValueErrorType.NumberExclusiveMaximum]: limited("exclusiveMaximum", "less than"),
  [ValueErrorType.NumberMultipleOf]: limited("multipleOf", "a multiple of"),
  [ValueErrorType.Object]: typed("an object"),
  [ValueErrorType.ObjectRequiredProperty]: () => ({ keyword: "required", expected: "this property" }),
  [ValueErrorType.ObjectAdditionalProperties]: () => ({
    keyword: "additionalProperties",
    expected: "no property of this name",
  }),
  [ValueErrorType.ObjectMinProperties]: properties("minProperties", "at least"),
  [ValueErrorType.ObjectMaxProperties]: properties("maxProperties", "at most"),
  [ValueErrorType.Intersect]: () => ({ keyword: "allOf", expected: "a value that fits every part" }),
  [ValueErrorType.String]: typed("a string"),
  [ValueErrorType.StringPattern]: limited("pattern", "a string that matches"),
  [ValueErrorType.Tuple]: typed("an array"),
  [ValueErrorType.TupleLength]: (schema) => ({
    keyword: "items",
    expected: `exactly ${schema["maxItems"] ?? 0} items`,
  }),
  [ValueErrorType.Literal]: (schema) => ({ keyword: "const", expected: JSON.stringify(schema["const"]) }),
  [ValueErrorType.Union]: (schema) => ({ keyword: "anyOf", expected: alternatives(schema) }),
  [ValueErrorType.Not]: () => ({ keyword: "not", expected: "a value that does not match" }),
  [ValueErrorType.Never]: () => ({ keyword: "not", expected: "no value" }),
};

function alternatives(schema: TSchema): string {
  const variants = schema["anyOf"] as readonly TSchema[];
  const literals = variants.map((variant) => JSON.stringify(variant["const"]));
  if (literals.every((literal) => literal !== undefined)) return `one of ${literals.join(", ")}`;
  return "a value that fits one of the alternatives";
}
