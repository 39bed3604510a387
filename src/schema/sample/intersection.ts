// Merges the schemas of an intersection where possible: the properties of objects, the bounds of
// numbers and texts. Other constraints are left to chance.

import { OptionalKind, type TSchema, Type } from "@sinclair/typebox";

import { kindOf } from "../tree/schema-tree.js";

/** `parts` must not contain references, unions or intersections. */
export function intersection(parts: readonly TSchema[]): TSchema {
  const telling = parts.filter((part) => !["Any", "Unknown", "Not"].includes(kindOf(part) ?? ""));
  const [first = parts[0] as TSchema, ...rest] = telling;
  return rest.reduce(both, first);
}

function both(one: TSchema, other: TSchema): TSchema {
  const [kind, otherKind] = [kindOf(one), kindOf(other)];
  if (kind === "Object" && otherKind === "Object") return bothObjects(one, other);
  // A literal is narrower than any other schema, and an integer narrower than a number.
  if (otherKind === "Literal" || (kind === "Number" && otherKind === "Integer")) return bounded(other, one);
  return bounded(one, other);
}

/** `one`, restricted by the bounds of both. */
function bounded(one: TSchema, other: TSchema): TSchema {
  const merged: TSchema = { ...one };
  for (const name of LOWER) set(merged, name, Math.max, one[name], other[name]);
  for (const name of UPPER) set(merged, name, Math.min, one[name], other[name]);
  for (const name of ONLY)
    if (merged[name] === undefined && other[name] !== undefined) merged[name] = other[name];
  return merged;
}

const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const ONLY = ["pattern", "format", "multipleOf", "uniqueItems", "contains", "minContains"];

function set(
  merged: TSchema,
  name: string,
  narrower: (one: number, other: number) => number,
  one: number | undefined,
  other: number | undefined,
): void {
  const bound = one === undefined || other === undefined ? (one ?? other) : narrower(one, other);
  if (bound !== undefined) merged[name] = bound;
}

function bothObjects(one: TSchema, other: TSchema): TSchema {
  const properties: Record<string, TSchema> = { ...one["properties"] };
  for (const [name, schema] of Object.entries<TSchema>(other["properties"])) {
    const known = properties[name];
    properties[name] = known === undefined ? schema : Type.Intersect([known, schema]);
  }
  const required = [...new Set<string>([...(one["required"] ?? []), ...(other["required"] ?? [])])];
  for (const [name, schema] of Object.entries(properties))
    if (!required.includes(name) && schema[OptionalKind] === undefined)
      properties[name] = { ...schema, [OptionalKind]: "Optional" };
  return { ...bounded(one, other), properties, required };
}
