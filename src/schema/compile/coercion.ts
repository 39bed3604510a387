// Converts parameters of a path, query, header or form from strings to the types of their schema.
// It does not validate; the validator does.

import type { TObject, TSchema } from "@sinclair/typebox";
import type { SchemaError } from "#core/bus/schema-error.js";
import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { kindOf } from "../tree/schema-tree.js";
import { compileSchema } from "./validator.js";

/** Raw parameters; a repeated key has an array. No prototype. */
export type RawParameters = Readonly<Record<string, string | readonly string[]>>;

/** Raw parameters with nested objects. No prototypes. */
export interface RawTree {
  readonly [name: string]: RawValue;
}

type RawValue = string | readonly string[] | RawTree;

export type Coerced =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Undefined if the text is not in the type's format; no schema of parameters has that value. */
type Read = (text: string) => unknown;

interface Reading {
  readonly read: Read;
  readonly expected: string;
}

interface Parameter {
  readonly name: string;
  readonly pointer: string;
  readonly required: boolean;
  readonly fallback: unknown;
  /** Returns the value, or adds an error. */
  readonly take: (given: RawValue, errors: SchemaError[]) => unknown;
}

/** Throws SCHEMA_UNSUPPORTED for a property that has no string format. */
export function compileCoercion(schema: TObject): (raw: RawParameters) => Coerced {
  return coercionOf(parametersOf(schema, "", flat));
}

/** The same for properties that may be nested objects. */
export function compileTreeCoercion(schema: TObject): (raw: RawTree) => Coerced {
  return coercionOf(parametersOf(schema, "", nested));
}

type Taking = (schema: TSchema, name: string, pointer: string) => Parameter["take"];

const coercionOf =
  (parameters: readonly Parameter[]) =>
  (raw: RawTree): Coerced => {
    const errors: SchemaError[] = [];
    const value = coerce(parameters, raw, errors);
    return errors.length === 0 ? { ok: true, value } : { ok: false, errors };
  };

function parametersOf(schema: TObject, above: string, taking: Taking): readonly Parameter[] {
  return Object.entries(schema.properties).map(([name, inner]) => {
    const pointer = `${above}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
    return {
      name,
      pointer,
      required: schema.required?.includes(name) ?? false,
      fallback: inner.default,
      take: taking(inner, name, pointer),
    };
  });
}

function coerce(
  parameters: readonly Parameter[],
  raw: RawTree,
  errors: SchemaError[],
): Record<string, unknown> {
  const value: Record<string, unknown> = Object.assign(Object.create(null), raw);
  for (const { name, pointer, required, fallback, take } of parameters) {
    const given = raw[name];
    if (given !== undefined) value[name] = take(given, errors);
    else if (fallback !== undefined) value[name] = structuredClone(fallback);
    else if (required) errors.push({ pointer, keyword: "required", expected: "this parameter" });
  }
  return value;
}

const isList = (given: RawValue): given is readonly string[] => Array.isArray(given);

/** Reads one text, or a list of texts. */
function flat(schema: TSchema, name: string, pointer: string): Parameter["take"] {
  const mistaken = (expected: string): SchemaError => ({ pointer, keyword: "type", expected });
  if (kindOf(schema) !== "Array") {
    const { read, expected } = reading(schema, name);
    const error = mistaken(`${expected}, once`);
    return (given, errors) => {
      const value = typeof given === "string" ? read(given) : undefined;
      if (value === undefined) errors.push(error);
      return value;
    };
  }
  const { read, expected } = reading(schema["items"] as TSchema, name);
  const error = mistaken(`a list, each ${expected}`);
  return (given, errors) => {
    const texts = typeof given === "string" ? [given] : isList(given) ? given : undefined;
    const items = texts?.map(read);
    if (items === undefined || items.includes(undefined)) errors.push(error);
    return items;
  };
}

/** Reads a nested object. */
function nested(schema: TSchema, name: string, pointer: string): Parameter["take"] {
  if (kindOf(schema) !== "Object") return flat(schema, name, pointer);
  const parameters = parametersOf(schema as TObject, pointer, nested);
  const error: SchemaError = { pointer, keyword: "type", expected: "parameters with names of their own" };
  return (given, errors) => {
    if (typeof given !== "string" && !isList(given)) return coerce(parameters, given, errors);
    errors.push(error);
    return undefined;
  };
}

function reading(schema: TSchema, name: string): Reading {
  switch (kindOf(schema)) {
    case "String":
    case "TemplateLiteral":
    case "RegExp":
    case "Any":
    case "Unknown":
      return { read: (text) => text, expected: "a string" };
    case "Number":
    case "Integer":
      return { read: readNumber, expected: "a number" };
    case "Boolean":
      return { read: (text) => booleans.get(text), expected: "true or false" };
    case "Null":
      return { read: (text) => (text === "null" ? null : undefined), expected: "null" };
    case "Literal":
      return readingLiteral(schema["const"]);
    case "Union":
      return readingUnion(schema["anyOf"], name);
    default:
      throw new FrameworkError(
        "SCHEMA_UNSUPPORTED",
        `Parameter '${visible(name)}': ${kindOf(schema) ?? "a schema without a kind"} cannot be read from text; use a string, number, boolean, a list of these, or send JSON`,
      );
  }
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

// JSON's number format: no "0x10", no " 1", no "1_000", no "Infinity".
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function readNumber(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

// Reads by the literal's type only: the validator compares the value.
function readingLiteral(value: unknown): Reading {
  if (typeof value === "number") return { read: readNumber, expected: "a number" };
  if (typeof value === "boolean") return { read: (text) => booleans.get(text), expected: "true or false" };
  return { read: (text) => text, expected: "a string" };
}

/**
 * Reads with the first variant that can read the text and accepts the value; else with the first
 * that can read it.
 */
function readingUnion(variants: readonly TSchema[], name: string): Reading {
  const compiled = variants.map((variant) => ({
    ...reading(variant, name),
    check: compileSchema(variant, { owner: `Parameter '${visible(name)}'`, origin: "json" }).check,
  }));
  const read: Read = (text) => {
    const values = compiled.map((variant) => variant.read(text));
    const fits = values.findIndex((value, i) => value !== undefined && compiled[i]?.check(value) === true);
    return fits >= 0 ? values[fits] : values.find((value) => value !== undefined);
  };
  return { read, expected: [...new Set(compiled.map((variant) => variant.expected))].join(" or ") };
}
