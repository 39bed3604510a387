// Parameters of a path or a query arrive as strings. This makes of them what
// their schema asks for, without judging: that is the validator's work.
//
//   C1. A parameter that is absent, repeated where one is wanted, or not written as
//       its type, is a mistake of form (400). All else is left to the schema (422).

import type { TObject, TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import type { SchemaError } from "#core/schema-error.js";
import { kindOf } from "./schema-tree.js";
import { compileSchema } from "./validator.js";

/** Raw parameters: a key that came more than once has an array. No prototype. */
export type RawParameters = Readonly<Record<string, string | readonly string[]>>;

export type Coerced =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Undefined where the text is not written as the type: never a value of a schema for parameters. */
type Read = (text: string) => unknown;

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly fallback: unknown;
  readonly list: boolean;
  readonly read: Read;
  readonly expected: string;
}

/** Throws SCHEMA_UNSUPPORTED for a property that a string cannot be read as. */
export function compileCoercion(schema: TObject): (raw: RawParameters) => Coerced {
  const parameters = Object.entries(schema.properties).map(([name, inner]) =>
    parameterOf(name, inner, schema.required?.includes(name) ?? false),
  );
  return (raw) => coerce(parameters, raw);
}

function coerce(parameters: readonly Parameter[], raw: RawParameters): Coerced {
  const value: Record<string, unknown> = Object.assign(Object.create(null), raw);
  const errors: SchemaError[] = [];
  for (const parameter of parameters) {
    const { name } = parameter;
    const given = raw[name];
    if (given === undefined) {
      if (parameter.fallback !== undefined) value[name] = structuredClone(parameter.fallback);
      else if (parameter.required) errors.push(mistake(name, "required", "this parameter"));
    } else if (parameter.list) {
      const items = (typeof given === "string" ? [given] : given).map(parameter.read);
      if (items.includes(undefined)) errors.push(mistake(name, "type", `a list, each ${parameter.expected}`));
      value[name] = items;
    } else {
      value[name] = typeof given === "string" ? parameter.read(given) : undefined;
      if (value[name] === undefined) errors.push(mistake(name, "type", `${parameter.expected}, once`));
    }
  }
  return errors.length === 0 ? { ok: true, value } : { ok: false, errors };
}

const mistake = (name: string, keyword: string, expected: string): SchemaError => ({
  pointer: `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`,
  keyword,
  expected,
});

function parameterOf(name: string, schema: TSchema, required: boolean): Parameter {
  const list = kindOf(schema) === "Array";
  const single = list ? (schema["items"] as TSchema) : schema;
  return { name, required, fallback: schema.default, list, ...reading(single, name) };
}

function reading(schema: TSchema, name: string): Pick<Parameter, "read" | "expected"> {
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
        `Parameter '${name}': ${kindOf(schema) ?? "a schema without a kind"} cannot be read from a path or a query; use a string, number, boolean, a list of these, or send JSON`,
      );
  }
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

// As JSON writes numbers: no "0x10", no " 1", no "1_000", no "Infinity".
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function readNumber(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

// A literal of another value is a matter for the schema, so its type alone is read.
function readingLiteral(value: unknown): Pick<Parameter, "read" | "expected"> {
  if (typeof value === "number") return { read: readNumber, expected: "a number" };
  if (typeof value === "boolean") return { read: (text) => booleans.get(text), expected: "true or false" };
  return { read: (text) => text, expected: "a string" };
}

/** The first variant that the text can be read as and that accepts the value; else the first it can be read as. */
function readingUnion(variants: readonly TSchema[], name: string): Pick<Parameter, "read" | "expected"> {
  const compiled = variants.map((variant) => ({
    ...reading(variant, name),
    check: compileSchema(variant, { owner: `Parameter '${name}'`, origin: "json" }).check,
  }));
  const read: Read = (text) => {
    const values = compiled.map((variant) => variant.read(text));
    const fits = values.findIndex((value, i) => value !== undefined && compiled[i]?.check(value) === true);
    return fits >= 0 ? values[fits] : values.find((value) => value !== undefined);
  };
  return { read, expected: [...new Set(compiled.map((variant) => variant.expected))].join(" or ") };
}
