// The part of a schema that decides how a value is serialised: the properties of objects and the
// shapes inside. A schema without constraints (Any, Unknown) has the empty shape ({}): its values
// are serialised as they are.

import type { TSchema } from "@sinclair/typebox";

import { keysOf } from "../formats/pattern.js";
import { kindOf } from "../tree/schema-tree.js";

export type Leaf = "string" | "number" | "boolean" | "null";

export interface Shape {
  readonly type?: Leaf | "object" | "array";
  readonly nullable?: true;
  /** Several types without properties or items. */
  readonly leaves?: readonly Leaf[];
  /** The only value. */
  readonly literal?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | true;
  /** For records whose keys have a pattern. */
  readonly patterns?: readonly (readonly [RegExp, Shape])[];
  readonly items?: Shape;
  readonly tuple?: readonly Shape[];
  /** The value has one of these shapes. */
  readonly variants?: readonly Shape[];
  /** A referenced shape, possibly one that contains this shape. */
  readonly named?: () => Shape;
}

export const ANYTHING: Shape = {};

/** Shapes by the name that references use. */
type Names = ReadonlyMap<string, () => Shape>;

// Drops `format`, which would choose another serialiser for texts (json-writers.ts), and "integer",
// which would silently truncate numbers.
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

/** One shape per name: a union with the same reference twice needs only one. */
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

/** TypeBox's pattern for keys of any name. */
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

/** Merges variants that differ only in null, or that have neither properties nor items. */
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

/** The types of a shape without properties or items; else undefined. */
export function leavesOf({ leaves, type, nullable }: Shape): readonly Leaf[] | undefined {
  if (leaves !== undefined) return leaves;
  if (type === undefined || type === "object" || type === "array") return undefined;
  return nullable === true ? [type, "null"] : [type];
}

// An enumeration of texts, or of numbers, has one type.
function ofLeaves(leaves: readonly Leaf[]): Shape {
  const [type, another] = leaves.filter((leaf) => leaf !== "null");
  if (type === undefined || another !== undefined) return { leaves };
  return leaves.length === 1 ? { type } : { type, nullable: true };
}

/** The shape of an object's property; undefined if the shape does not name it. */
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

/** The shape of an intersection. */
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
 * The merged shape of several variants: all properties that any of them names. It has no variants,
 * which would be tested for the same value again. If they cannot be merged, the first one.
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
        // Named by one shape as a property, and by the other by a pattern.
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
