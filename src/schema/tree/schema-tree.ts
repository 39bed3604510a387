import { Kind, type TSchema } from "@sinclair/typebox";

import { visible } from "#core/wire/visible-text.js";

type Visit = (schema: TSchema, pointer: string) => TSchema;

const isSchema = (value: unknown): value is TSchema => typeof value === "object" && value !== null;

/** TypeBox's kind of a schema: "String", "Object". Undefined for plain JSON Schema. */
export const kindOf = (schema: TSchema): string | undefined => schema[Kind];

// Keywords that hold one schema.
const SINGLE = ["items", "additionalProperties", "unevaluatedProperties", "not", "contains"];
const LISTS = ["items", "anyOf", "allOf"];
const MAPS = ["properties", "patternProperties", "$defs"];

/** A step of a JSON Pointer for messages: RFC 6901, with control characters escaped as in JSON. */
export const stepTo = (name: string): string => visible(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/**
 * Copies `schema` and replaces each inner schema by the result of `visit`, innermost first. Symbol
 * properties are kept: TypeBox stores kinds and optionality there.
 */
export function mapSchema(schema: TSchema, visit: Visit, pointer = ""): TSchema {
  const copy = copyOf(schema);
  // A Never is written { not: {} }, whose inner schema is not TypeBox's.
  if (kindOf(schema) === "Never") return visit(copy, pointer);
  const inner = (child: unknown, path: string): unknown =>
    isSchema(child) && !Array.isArray(child) ? mapSchema(child, visit, `${pointer}/${path}`) : child;
  for (const name of SINGLE) {
    if (isSchema(schema[name]) && !Array.isArray(schema[name])) define(copy, name, inner(schema[name], name));
  }
  for (const name of LISTS) {
    const list: unknown = schema[name];
    if (Array.isArray(list))
      define(
        copy,
        name,
        list.map((child, i) => inner(child, `${name}/${i}`)),
      );
  }
  for (const name of MAPS) {
    if (isSchema(schema[name]))
      define(
        copy,
        name,
        mapEntries(schema[name], (child, key) => inner(child, `${name}/${stepTo(key)}`)),
      );
  }
  return visit(copy, pointer);
}

/** A mutable copy, also of a frozen schema. */
function copyOf(schema: TSchema): TSchema {
  const descriptors: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(schema);
  for (const key of Reflect.ownKeys(descriptors))
    descriptors[key] = { ...descriptors[key], configurable: true };
  return Object.create(Object.getPrototypeOf(schema), descriptors) as TSchema;
}

/** The direct inner schemas, each with its path. */
export function partsOf(schema: TSchema): readonly (readonly [string, TSchema])[] {
  const parts: (readonly [string, TSchema])[] = [];
  if (kindOf(schema) === "Never") return parts;
  const add = (path: string, part: unknown): void => {
    if (isSchema(part) && !Array.isArray(part)) parts.push([path, part]);
  };
  for (const name of SINGLE) add(name, schema[name]);
  // A single schema of a list's items is handled with the single ones.
  for (const name of LISTS) {
    const list: unknown = schema[name];
    if (Array.isArray(list)) for (const [i, part] of list.entries()) add(`${name}/${i}`, part);
  }
  for (const name of MAPS) {
    const map: unknown = schema[name];
    if (isSchema(map)) for (const [key, part] of Object.entries(map)) add(`${name}/${stepTo(key)}`, part);
  }
  return parts;
}

/** Calls `visit` for each schema in the tree, innermost first. */
export function eachSchema(
  schema: TSchema,
  visit: (schema: TSchema, pointer: string) => void,
  pointer = "",
): void {
  for (const [step, part] of partsOf(schema)) eachSchema(part, visit, `${pointer}/${step}`);
  visit(schema, pointer);
}

function mapEntries(map: object, make: (child: unknown, key: string) => unknown): object {
  return Object.fromEntries(Object.entries(map).map(([key, child]) => [key, make(child, key)]));
}

/** Sets or removes a keyword of a copy in progress. */
export const define = (schema: TSchema, name: string, value: unknown): TSchema =>
  Object.defineProperty(schema, name, {
    value,
    enumerable: value !== undefined,
    configurable: true,
    writable: true,
  });
