// The part of a schema that decides how a value is written as JSON: which properties
// objects have, and what stands inside. What is left open has the shape of nothing
// ({}), and is written as it is.

import type { TSchema } from "@sinclair/typebox";

import { kindOf } from "./schema-tree.js";

export interface Shape {
  readonly type?: "string" | "number" | "boolean" | "null" | "object" | "array";
  readonly nullable?: true;
  /** The one value there is. */
  readonly literal?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | true;
  /** Of records whose keys have a pattern. */
  readonly patterns?: readonly (readonly [RegExp, Shape])[];
  readonly items?: Shape;
  readonly tuple?: readonly Shape[];
  /** One of these. */
  readonly variants?: readonly Shape[];
  /** A schema that is named elsewhere, which may be one that this stands in. */
  readonly named?: () => Shape;
}

export const ANYTHING: Shape = {};

/** Schemas by the name that references use. */
type Names = ReadonlyMap<string, () => Shape>;

// No `format` is kept: with one, strings would be written unescaped. No integers
// either, which would be cut to whole numbers without a word.
export function shapeOf(schema: TSchema, outer: Names = new Map()): Shape {
  const names = schema.$id === undefined ? outer : new Map([...outer, [schema.$id, () => shape]]);
  const shape = shapeOfKind(schema, names);
  return shape;
}

function shapeOfKind(schema: TSchema, names: Names): Shape {
  const inner = (part: TSchema): Shape => shapeOf(part, names);
  switch (kindOf(schema)) {
    case "String":
    case "TemplateLiteral":
    case "RegExp":
      return { type: "string" };
    case "Number":
    case "Integer":
      return { type: "number" };
    case "Boolean":
      return { type: "boolean" };
    case "Null":
      return { type: "null" };
    case "Literal":
      return shapeOfLiteral(schema["const"]);
    case "Array":
      return { type: "array", items: inner(schema["items"]) };
    case "Tuple":
      return { type: "array", tuple: ((schema["items"] ?? []) as TSchema[]).map(inner) };
    case "Object":
      return shapeOfObject(schema, inner);
    case "Record":
      return shapeOfRecord(schema, inner);
    case "Union":
      return anyOf((schema["anyOf"] as TSchema[]).map(inner));
    case "Intersect":
      return (schema["allOf"] as TSchema[]).map(inner).reduce(both, ANYTHING);
    case "Import":
      return shapeOfImport(schema, names);
    case "Ref":
    case "This":
      return { named: names.get(schema["$ref"]) ?? (() => ANYTHING) };
    default:
      return ANYTHING;
  }
}

function shapeOfLiteral(value: unknown): Shape {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? { type, literal: value } : ANYTHING;
}

function shapeOfObject(schema: TSchema, inner: (part: TSchema) => Shape): Shape {
  const properties = Object.entries(schema["properties"] as Record<string, TSchema>).map(
    ([name, part]): [string, Shape] => [name, inner(part)],
  );
  const rest: unknown = schema["additionalProperties"];
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: schema["required"] ?? [],
    ...(typeof rest === "object" && { additionalProperties: inner(rest as TSchema) }),
    ...(rest === true && { additionalProperties: true }),
  };
}

/** How TypeBox writes that every key is allowed. */
const EVERY_KEY = "^(.*)$";

function shapeOfRecord(schema: TSchema, inner: (part: TSchema) => Shape): Shape {
  const entries = Object.entries(schema["patternProperties"] as Record<string, TSchema>);
  const [first] = entries;
  const object = { type: "object", properties: {}, required: [] } as const;
  if (entries.length === 1 && first?.[0] === EVERY_KEY)
    return { ...object, additionalProperties: inner(first[1]) };
  return { ...object, patterns: entries.map(([pattern, part]) => [new RegExp(pattern), inner(part)]) };
}

function shapeOfImport(schema: TSchema, outer: Names): Shape {
  const names = new Map(outer);
  for (const [name, part] of Object.entries(schema["$defs"] as Record<string, TSchema>)) {
    let shape: Shape | undefined;
    names.set(name, () => {
      shape ??= shapeOf(part, names);
      return shape;
    });
  }
  return { named: names.get(schema["$ref"]) ?? (() => ANYTHING) };
}

/** One shape where all agree but for null. */
function anyOf(shapes: readonly Shape[]): Shape {
  const others = shapes.filter((shape) => shape.type !== "null");
  const [first] = others;
  if (first === undefined) return shapes[0] ?? ANYTHING;
  if (others.length === 1 && first.type !== undefined)
    return shapes.length === 1 ? first : { ...first, nullable: true };
  const { type } = first;
  // Strings of a few words, numbers of a few sizes.
  if (isLeaf(type) && others.every((shape) => shape.type === type))
    return shapes.length === others.length ? { type } : { type, nullable: true };
  return shapes.every((shape) => isLeaf(shape.type)) ? ANYTHING : { variants: shapes };
}

type Leaf = "string" | "number" | "boolean" | "null";

const isLeaf = (type: Shape["type"]): type is Leaf =>
  type !== undefined && type !== "object" && type !== "array";

/** The shape of what has both. */
function both(one: Shape, other: Shape): Shape {
  if (one.variants !== undefined) return { variants: one.variants.map((variant) => both(variant, other)) };
  if (other.variants !== undefined) return { variants: other.variants.map((variant) => both(one, variant)) };
  if (one.named !== undefined || other.named !== undefined) {
    return { named: () => both(one.named?.() ?? one, other.named?.() ?? other) };
  }
  if (one.type !== "object") return other;
  if (other.type !== "object") return one;
  return {
    type: "object",
    properties: combined(one, other, both),
    required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    ...restOf(one, other),
  };
}

/** The shape of what fits several: all that any of them names. */
export function either(one: Shape, other: Shape): Shape {
  if (one.type !== "object" || other.type !== "object") return anyOf([one, other]);
  return {
    type: "object",
    properties: combined(one, other, (a, b) => anyOf([a, b])),
    required: (one.required ?? []).filter((name) => other.required?.includes(name)),
    ...restOf(one, other),
  };
}

function combined(
  one: Shape,
  other: Shape,
  combine: (one: Shape, other: Shape) => Shape,
): Readonly<Record<string, Shape>> {
  const properties = new Map(Object.entries(one.properties ?? {}));
  for (const [name, shape] of Object.entries(other.properties ?? {})) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? shape : combine(known, shape));
  }
  return Object.fromEntries(properties);
}

function restOf(one: Shape, other: Shape): Pick<Shape, "additionalProperties" | "patterns"> {
  const rest = one.additionalProperties ?? other.additionalProperties;
  const patterns = [...(one.patterns ?? []), ...(other.patterns ?? [])];
  return {
    ...(rest !== undefined && { additionalProperties: rest }),
    ...(patterns.length > 0 && { patterns }),
  };
}
