// A TypeBox schema as JSON Schema 2020-12, which OpenAPI 3.1 has. What stands inside is written by the
// function that is given; names and references are schema-components.ts's.

import { TransformKind, type TSchema } from "@sinclair/typebox";

import { isAnnotation } from "#schema/compile/keywords.js";
import type { JsonSchema } from "#schema/compile/schema-comparison.js";
import { kindOf } from "#schema/tree/schema-tree.js";

export type { JsonSchema } from "#schema/compile/schema-comparison.js";

/** What is written of a schema inside another; `step` leads to it. */
type WriteInner = (schema: TSchema, step: string) => JsonSchema;

/** Throws with what the schema says that JSON cannot, and what to do. */
export type Refuse = (what: string, remedy: string) => never;

/** Names of other schemas, which are written as references, and what only TypeBox reads. */
const UNWRITTEN = new Set(["$id", "$schema", "$defs", "$comment"]);

/** Keywords that hold schemas. */
const HOLDING = new Set(
  "items properties required additionalProperties patternProperties anyOf allOf not unevaluatedProperties".split(
    " ",
  ),
);

export function writtenSchema(schema: TSchema, inner: WriteInner, refuse: Refuse): JsonSchema {
  if (Object.hasOwn(schema, TransformKind))
    refuse("a Transform is not run", "describe what is sent, and convert it in a step");
  const content: unknown = schema["contentSchema"];
  return {
    ...ofKind(schema, inner, refuse),
    ...annotationsOf(schema, refuse),
    ...(content !== undefined && { contentSchema: inner(content as TSchema, "contentSchema") }),
  };
}

function ofKind(schema: TSchema, inner: WriteInner, refuse: Refuse): JsonSchema {
  const kind = kindOf(schema);
  switch (kind) {
    case "Any":
    case "Unknown":
      return {};
    case "Never":
      return { not: {} };
    case "Date":
      return { type: "string", format: "date-time" };
    case "RegExp":
      return {
        type: "string",
        pattern: patternOf(schema, refuse),
        ...leafKeywords(schema, ["source", "flags"]),
      };
    case "Literal":
      return { type: typeof schema["const"], const: schema["const"] };
    case "Not":
      return { not: inner(schema["not"], "not") };
    case "Array":
      return {
        ...leafKeywords(schema, ["contains"]),
        items: inner(schema["items"], "items"),
        ...(schema["contains"] !== undefined && { contains: inner(schema["contains"], "contains") }),
      };
    case "Tuple":
      return ofTuple(schema, inner);
    case "Object":
      return ofObject(schema, inner);
    case "Record":
      return ofRecord(schema, inner);
    case "Union":
      return ofUnion(schema["anyOf"], inner);
    case "Intersect":
      return {
        allOf: listed(schema["allOf"], "allOf", inner),
        ...rest(schema, "unevaluatedProperties", inner),
      };
    case "Boolean":
    case "Integer":
    case "Null":
    case "Number":
    case "String":
    case "TemplateLiteral":
      return leafKeywords(schema);
    // Of documentation alone: nothing compiles these.
    case "Unsafe":
    case undefined:
      return ofPlain(schema, inner, refuse);
    default:
      return refuse(`${kind} has no form in JSON`, remedyFor(kind));
  }
}

const remedyFor = (kind: string): string =>
  kind === "Undefined" || kind === "Void"
    ? "leave the property out, as in Type.Optional(...); of a response, put it beside the named schema: Type.Union([Named, Type.Undefined()])"
    : "describe what is sent: a string or a number, and convert it in a step";

function leafKeywords(schema: TSchema, without: readonly string[] = []): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([keyword]) => !HOLDING.has(keyword) && !without.includes(keyword) && !isAnnotation(keyword),
  );
  return Object.fromEntries(entries);
}

const listed = (parts: readonly TSchema[], keyword: string, inner: WriteInner): readonly JsonSchema[] =>
  parts.map((part, i) => inner(part, `${keyword}/${i}`));

function ofObject(schema: TSchema, inner: WriteInner): JsonSchema {
  const properties = Object.entries(schema["properties"] as Record<string, TSchema>).map(
    ([name, part]) => [name, inner(part, `properties/${name}`)] as const,
  );
  const required = (schema["required"] ?? []) as readonly string[];
  return {
    ...leafKeywords(schema),
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...rest(schema, "additionalProperties", inner),
  };
}

/** A keyword for all that is not named: false, or a schema. */
function rest(schema: TSchema, keyword: string, inner: WriteInner): JsonSchema {
  const value: unknown = schema[keyword];
  if (value === undefined) return {};
  return { [keyword]: typeof value === "object" ? inner(value as TSchema, keyword) : value };
}

/** A record of any keys is what generators know as a map. */
function ofRecord(schema: TSchema, inner: WriteInner): JsonSchema {
  const patterns = Object.entries(schema["patternProperties"] as Record<string, TSchema>);
  const [first] = patterns;
  if (patterns.length === 1 && first?.[0] === "^(.*)$")
    return { ...leafKeywords(schema), additionalProperties: inner(first[1], "additionalProperties") };
  const written = patterns.map(([pattern, part]) => [pattern, inner(part, `patternProperties/${pattern}`)]);
  return {
    ...leafKeywords(schema),
    patternProperties: Object.fromEntries(written),
    ...rest(schema, "additionalProperties", inner),
  };
}

function ofTuple(schema: TSchema, inner: WriteInner): JsonSchema {
  const items = (schema["items"] ?? []) as readonly TSchema[];
  return {
    ...leafKeywords(schema, ["additionalItems"]),
    ...(items.length > 0 && { prefixItems: listed(items, "items", inner) }),
  };
}

function ofUnion(variants: readonly TSchema[], inner: WriteInner): JsonSchema {
  const types = new Set(variants.map((variant) => typeof variant["const"]));
  const isEnum = variants.every(
    (variant) => kindOf(variant) === "Literal" && Object.keys(variant).length === 2,
  );
  if (isEnum && types.size === 1 && variants.length > 0)
    return { type: [...types][0], enum: variants.map((variant) => variant["const"]) };
  return { anyOf: listed(variants, "anyOf", inner) };
}

const SINGLE = new Set(
  "items contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames not if then else".split(
    " ",
  ),
);
const LISTS = new Set("items prefixItems anyOf allOf oneOf".split(" "));
const MAPS = new Set("properties patternProperties dependentSchemas".split(" "));

/** Plain JSON Schema, whose parts may be of TypeBox. */
function ofPlain(schema: TSchema, inner: WriteInner, refuse: Refuse): JsonSchema {
  const written = Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
    if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, listed(value, keyword, inner)];
    if (typeof value !== "object" || value === null) return [keyword, value];
    if (SINGLE.has(keyword)) return [keyword, inner(value as TSchema, keyword)];
    if (!MAPS.has(keyword)) return [keyword, value];
    const parts = Object.entries(value).map(([name, part]) => [name, inner(part, `${keyword}/${name}`)]);
    return [keyword, Object.fromEntries(parts)];
  });
  return plainJson(Object.fromEntries(written.filter(([keyword]) => !UNWRITTEN.has(keyword))), refuse);
}

/** JSON Schema has no flags: a pattern with others would mean something else. */
function patternOf(schema: TSchema, refuse: Refuse): string {
  const { source, flags } = schema as unknown as { readonly source: string; readonly flags: string };
  if (!/^[gu]*$/.test(flags))
    refuse(
      `a pattern with the flags '${flags}' has no form in JSON Schema`,
      "write the pattern without flags",
    );
  return source;
}

function annotationsOf(schema: TSchema, refuse: Refuse): JsonSchema {
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => isAnnotation(keyword) && !UNWRITTEN.has(keyword) && value !== undefined,
  );
  return plainJson(Object.fromEntries(entries), refuse);
}

/** A copy. Throws for what is no JSON. */
function plainJson(value: object, refuse: Refuse): JsonSchema {
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === "function" || typeof part === "bigint" || typeof part === "symbol")
      refuse(`'${key}' is a ${typeof part}, which has no form in JSON`, "leave it out");
    return part;
  });
  return JSON.parse(text) as JsonSchema;
}
