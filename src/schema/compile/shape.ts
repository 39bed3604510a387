// The part of a schema that decides how a value is written as JSON: which properties
// objects have, and what stands inside. What a schema leaves open (Any, Unknown) has
// the shape of nothing ({}), and is written as it is.

import type { TSchema } from "@sinclair/typebox";

import { keysOf } from "../formats/pattern.js";
import { kindOf } from "../tree/schema-tree.js";

export type Leaf = "string" | "number" | "boolean" | "null";

export interface Shape {
  readonly type?: Leaf | "object" | "array";
  readonly nullable?: true;
  /** Of what has no properties and no items, but several types. */
  readonly leaves?: readonly Leaf[];
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

// No `format` is kept: it chooses who writes a text (json-writers.ts). No integers
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
    case "Date":
      return { type: "string" };
    case "Number":
    case "Integer":
      return { type: "number" };
    case "Boolean":
      return { type: "boolean" };
    case "Null":
    case "Never":
    case "Undefined":
    case "Void":
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
      return namedBy(names.get(schema["$ref"]));
    default:
      return ANYTHING;
  }
}

const ofNames = new WeakMap<() => Shape, Shape>();

/** One for each name: of a union that has it twice, one is enough. */
function namedBy(named: () => Shape = () => ANYTHING): Shape {
  const known = ofNames.get(named) ?? { named };
  ofNames.set(named, known);
  return known;
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
  return { ...object, patterns: entries.map(([pattern, part]) => [keysOf(pattern, ""), inner(part)]) };
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
  return namedBy(names.get(schema["$ref"]));
}

/** One shape where all agree but for null, or have neither properties nor items. */
function anyOf(all: readonly Shape[]): Shape {
  const shapes = [...new Set(all)];
  const others = shapes.filter((shape) => shape.type !== "null");
  const [first] = others;
  if (first === undefined) return shapes[0] ?? ANYTHING;
  if (shapes.length === 1) return first;
  if (others.length === 1 && first.type !== undefined)
    return shapes.length === 1 ? first : { ...first, nullable: true };
  const leaves = shapes.map(leavesOf);
  if (leaves.includes(undefined)) return { variants: shapes };
  return ofLeaves([...new Set(leaves.flatMap((types) => types ?? []))]);
}

/** The types of what has neither properties nor items, or undefined. */
export function leavesOf({ leaves, type, nullable }: Shape): readonly Leaf[] | undefined {
  if (leaves !== undefined) return leaves;
  if (type === undefined || type === "object" || type === "array") return undefined;
  return nullable === true ? [type, "null"] : [type];
}

// Strings of a few words and numbers of a few sizes have one type.
function ofLeaves(leaves: readonly Leaf[]): Shape {
  const [type, another] = leaves.filter((leaf) => leaf !== "null");
  if (type === undefined || another !== undefined) return { leaves };
  return leaves.length === 1 ? { type } : { type, nullable: true };
}

/** What an object's property of this name is; undefined where the shape does not name it. */
export function propertyOf(
  { properties, additionalProperties, patterns }: Shape,
  name: string,
): Shape | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  const matched = patterns?.filter(([pattern]) => pattern.test(name)).map(([, shape]) => shape) ?? [];
  if (matched.length > 0) return anyOf(matched);
  return additionalProperties === true ? ANYTHING : additionalProperties;
}

const isOpen = ({ type, leaves }: Shape): boolean => type === undefined && leaves === undefined;

/** The shape of what has both. */
function both(one: Shape, other: Shape): Shape {
  if (one.variants !== undefined) return { variants: one.variants.map((variant) => both(variant, other)) };
  if (other.variants !== undefined) return { variants: other.variants.map((variant) => both(one, variant)) };
  if (one.named !== undefined || other.named !== undefined) {
    return { named: () => both(one.named?.() ?? one, other.named?.() ?? other) };
  }
  if (isOpen(other)) return one;
  if (one.type !== "object") return other;
  if (other.type !== "object") return one;
  return {
    type: "object",
    properties: combined(one, other, both),
    required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
    ...restOf(one, other, both),
  };
}

/**
 * The shape of what fits several: all that any of them names. Never one of variants,
 * which would be chosen among for the same value again. Of what cannot be merged, the first.
 */
export function either(one: Shape, other: Shape): Shape {
  if (one.type === "array" && other.type === "array") return eitherList(one, other);
  if (leavesOf(one) !== undefined && leavesOf(other) !== undefined) return anyOf([one, other]);
  if (one.type !== "object" || other.type !== "object") return one;
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.keys({ ...one.properties, ...other.properties }).map((name) => [
        name,
        // Of the one it may be a property, and of the other what a pattern names.
        anyOf([one, other].flatMap((shape) => propertyOf(shape, name) ?? [])),
      ]),
    ),
    required: (one.required ?? []).filter((name) => other.required?.includes(name)),
    ...restOf(one, other, eitherPart),
  };
}

const eitherPart = (one: Shape, other: Shape): Shape => anyOf([one, other]);

function eitherList(one: Shape, other: Shape): Shape {
  const places = Math.max(one.tuple?.length ?? 0, other.tuple?.length ?? 0);
  const at = (place: number): Shape =>
    anyOf([one, other].flatMap(({ tuple, items }) => tuple?.[place] ?? items ?? []));
  const items = [one, other].flatMap((list) => list.items ?? []);
  return {
    type: "array",
    ...(places > 0 && { tuple: Array.from({ length: places }, (_, place) => at(place)) }),
    ...(items.length > 0 && { items: anyOf(items) }),
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

function restOf(
  one: Shape,
  other: Shape,
  combine: (one: Shape, other: Shape) => Shape,
): Pick<Shape, "additionalProperties" | "patterns"> {
  const [first, second] = [one.additionalProperties, other.additionalProperties];
  const isEach = typeof first === "object" && typeof second === "object";
  const rest = isEach ? combine(first, second) : (first ?? second);
  const patterns = [...(one.patterns ?? []), ...(other.patterns ?? [])];
  return {
    ...(rest !== undefined && { additionalProperties: rest }),
    ...(patterns.length > 0 && { patterns }),
  };
}
