// Recursive schemas with unions or intersections. Each variant would check the values below again,
// which doubles the work at each level. A reference to such a schema gets its own kind, which
// caches its verdicts until the check ends.

import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox";

import { interned } from "#core/interned.js";
import { kindOf, mapSchema, partsOf } from "../tree/schema-tree.js";
import { isConjunction } from "./conjunction.js";

type Check = (value: unknown) => boolean;

const copies = interned("CopiesOfRecursion", () => ({ loaded: 0 }));
copies.loaded += 1;
const PREFIX = `framework:recursion:${copies.loaded}:`;
const all: Recursion[] = [];

/** Set on a referenced part: the number of the recursion. */
const MEANT = Symbol("Recursion");
/** Set on a reference: the number of its recursion. */
const MEANS = Symbol("RecursionMeant");

const numberOf = (part: TSchema): number | undefined => part[MEANT as never];

interface Recursion {
  schema: TSchema;
  readonly check: Check;
}

/** Matches calls of such references in TypeBox's generated code; the group is the number. */
export const recursionCall = new RegExp(`kind\\('${PREFIX}(\\d+)', \\d+, `, "g");

export const recursionCheck = (number: number): Check => (all[number] as Recursion).check;

/** The schema that such a reference means; undefined for a schema of another kind. */
export const meantBy = (schema: TSchema): TSchema | undefined =>
  all[(schema[MEANS as never] as number | undefined) ?? -1]?.schema;

/**
 * Replaces references to recursive schemas with variants by ones that cache their verdicts.
 * `compile` makes the check of one schema.
 */
export function withRemembered(schema: TSchema, compile: (schema: TSchema) => Check): TSchema {
  if (!refersAndVaries(schema)) return schema;
  const mapped = mapSchema(schema, (part) => {
    const names = kindOf(part) === "Import" ? Object.keys(part["$defs"]) : [];
    if (part.$id !== undefined && kindOf(part) !== "Import") names.push(part.$id);
    return names.length === 0 ? part : replaced(part, names, compile);
  });
  // The references inside the target have been replaced by now.
  const settle = (part: TSchema): void => {
    const recursion = all[numberOf(part) ?? -1];
    if (recursion !== undefined) recursion.schema = part;
    for (const [, inner] of partsOf(part)) settle(inner);
  };
  settle(mapped);
  return mapped;
}

function replaced(part: TSchema, names: readonly string[], compile: (schema: TSchema) => Check): TSchema {
  const kinds = new Map<string, TSchema>();
  const reference = (inner: TSchema): TSchema => {
    const name: unknown = inner["$ref"];
    if (typeof name !== "string" || !names.includes(name) || kindOf(inner) === "Import") return inner;
    const known = kinds.get(name) ?? kindFor(named(part, name), compile);
    kinds.set(name, known);
    return Object.create(Object.getPrototypeOf(inner), {
      ...Object.getOwnPropertyDescriptors(inner),
      ...Object.getOwnPropertyDescriptors(known),
    }) as TSchema;
  };
  const mapped = mapSchema(part, reference);
  for (const [name, kind] of kinds)
    Object.defineProperty(named(mapped, name), MEANT, { value: kind[MEANS as never], enumerable: true });
  return mapped;
}

/** The schema of a name in the part that defines it; for a module, one of its parts. */
const named = (part: TSchema, name: string): TSchema =>
  kindOf(part) === "Import" ? (part["$defs"][name] as TSchema) : part;

/** A part of a module that refers to itself has a kind already. */
function kindFor(meant: TSchema, compile: (schema: TSchema) => Check): TSchema {
  const number = numberOf(meant) ?? register(compile);
  return { [Kind]: `${PREFIX}${number}`, [MEANS]: number } as unknown as TSchema;
}

function register(compile: (schema: TSchema) => Check): number {
  const number = all.length;
  let compiled: Check | undefined;
  const recursion: Recursion = {
    schema: {} as TSchema,
    check: remembering((value) => {
      compiled ??= compile(recursion.schema);
      return compiled(value);
    }),
  };
  all.push(recursion);
  TypeRegistry.Set(`${PREFIX}${number}`, (_, value) => recursion.check(value));
  return number;
}

/** Caches verdicts on objects until the outermost check ends: values do not change within a check. */
function remembering(check: Check): Check {
  const verdicts = new Map<unknown, boolean>();
  let depth = 0;
  return (value) => {
    if (typeof value !== "object" || value === null) return check(value);
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    depth += 1;
    try {
      const verdict = check(value);
      verdicts.set(value, verdict);
      return verdict;
    } finally {
      depth -= 1;
      if (depth === 0) verdicts.clear();
    }
  };
}

function refersAndVaries(schema: TSchema): boolean {
  let refers = false;
  let varies = false;
  const look = (part: TSchema): void => {
    const kind = kindOf(part);
    if (kind === "This" || kind === "Ref") refers = true;
    if (kind === "Union" || (kind === "Intersect" && !isConjunction(part)) || kind === "Not") varies = true;
    for (const [, inner] of partsOf(part)) look(inner);
  };
  look(schema);
  return refers && varies;
}
