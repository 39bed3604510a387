// Writes an output as JSON by its schema. What an object's schema does not name is
// not sent; a required property that is absent is an error, never a hole.
//
//   S1. Where a schema allows values of several shapes (a union of objects, an
//       intersection, a reference), what is there is written whole: which shape is
//       meant would have to be found out at each write.

import { createRequire } from "node:module";
import type { TSchema } from "@sinclair/typebox";
import type { Schema } from "fast-json-stringify";

import { canGenerateCode } from "./code-generation.js";
import { kindOf } from "./schema-tree.js";

export type Serialise = (value: unknown) => string;

type Build = (schema: Schema) => Serialise;

// Loaded at the first output schema: it costs a program without one nothing.
const require = createRequire(import.meta.url);

export function compileSerialiser(schema: TSchema, generate = canGenerateCode): Serialise {
  const shape = shapeOf(schema);
  if (!generate) return (value) => JSON.stringify(project(shape, value));
  const build = require("fast-json-stringify") as Build;
  return build(shape as Schema);
}

/** The part of JSON Schema that decides how a value is written. An empty one writes whatever is there. */
interface Shape {
  readonly type?: "string" | "number" | "boolean" | "null" | "object" | "array";
  readonly nullable?: true;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | true;
  readonly items?: Shape;
}

// No `format` is passed on: with one, strings would be written unescaped. No
// integers either, which would be cut to whole numbers without a word.
function shapeOf(schema: TSchema): Shape {
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
      return { type: "array", items: shapeOf(schema["items"]) };
    case "Object":
      return shapeOfObject(schema);
    case "Union":
      return shapeOfUnion(schema["anyOf"]);
    default:
      return {};
  }
}

function shapeOfLiteral(value: unknown): Shape {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? { type } : {};
}

function shapeOfObject(schema: TSchema): Shape {
  const properties: [string, Shape][] = Object.entries(schema["properties"] as Record<string, TSchema>).map(
    ([name, inner]) => [name, shapeOf(inner)],
  );
  const rest: unknown = schema["additionalProperties"];
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: schema["required"] ?? [],
    ...(typeof rest === "object" && { additionalProperties: shapeOf(rest as TSchema) }),
    ...(rest === true && { additionalProperties: true }),
  };
}

/** One shape where all variants agree but for null; else whatever is there. */
function shapeOfUnion(variants: readonly TSchema[]): Shape {
  const shapes = variants.filter((variant) => kindOf(variant) !== "Null").map(shapeOf);
  const [first] = shapes;
  const agree = shapes.every((shape) => JSON.stringify(shape) === JSON.stringify(first));
  if (first?.type === undefined || !agree) return {};
  return shapes.length === variants.length ? first : { ...first, nullable: true };
}

/** What the compiled serialiser would write, as a value for JSON.stringify. */
function project(shape: Shape, value: unknown): unknown {
  const read = toJson(value);
  if (Array.isArray(read) && shape.items !== undefined)
    return read.map((item) => project(shape.items as Shape, item));
  if (shape.properties === undefined || typeof read !== "object" || read === null) return read;
  const source = read as Record<string, unknown>;
  const absent = shape.required?.find((name) => source[name] === undefined);
  if (absent !== undefined) throw new Error(`"${absent}" is required!`);
  const names =
    shape.additionalProperties === undefined ? Object.keys(shape.properties) : Object.keys(source);
  return Object.fromEntries(names.map((name) => [name, project(shapeOfProperty(shape, name), source[name])]));
}

function shapeOfProperty({ properties, additionalProperties }: Shape, name: string): Shape {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name] as Shape;
  return typeof additionalProperties === "object" ? additionalProperties : {};
}

function toJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}
