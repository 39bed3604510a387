// Recursive schemas with unions or intersections: each variant would check all that is
// below a value again, twice as often at each level. A reference to such a schema gets a
// kind of its own, whose verdict on a value is remembered until the check is over.

import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox";

import { interned } from "#core/interned.js";
import { kindOf, mapSchema, partsOf } from "../tree/schema-tree.js";
import { isConjunction } from "./conjunction.js";

type Check = (value: unknown) => boolean;

const copies = interned("CopiesOfRecursion", () => ({ loaded: 0 }));
copies.loaded += 1;
const PREFIX = `framework:recursion:${copies.loaded}:`;
const all: Recursion[] = [];

/** On a part that references mean: the number of the recursion. */
const MEANT = Symbol("Recursion");
/** On a reference: the same. */
const MEANS = Symbol("RecursionMeant");

const numberOf = (part: TSchema): number | undefined => part[MEANT as never];

interface Recursion {
  schema: TSchema;
  readonly check: Check;
}

/** Finds the calls of such references in code from TypeBox's compiler; the group is the number. */
export const recursionCall = new RegExp(`kind\\('${PREFIX}(\\d+)', \\d+, `, "g");

export const recursionCheck = (number: number): Check => (all[number] as Recursion).check;

/** What a reference of such a kind means; undefined for a schema of another kind. */
export const meantBy = (schema: TSchema): TSchema | undefined =>
  all[(schema[MEANS as never] as number | undefined) ?? -1]?.schema;

/** The same schema, where what refers to a schema with variants remembers its verdicts. `compile` makes the check of one. */
export function withRemembered(schema: TSchema, compile: (schema: TSchema) => Check): TSchema {
  if (!refersAndVaries(schema)) return schema;
  const mapped = mapSchema(schema, (part) => {
    const names = kindOf(part) === "Import" ? Object.keys(part["$defs"]) : [];
    if (part.$id !== undefined && kindOf(part) !== "Import") names.push(part.$id);
    return names.length === 0 ? part : replaced(part, names, compile);
  });
  // What a reference means has its own references replaced by now.
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

/** What a name means in a part that gives it: of a module one of its parts. */
const named = (part: TSchema, name: string): TSchema =>
  kindOf(part) === "Import" ? (part["$defs"][name] as TSchema) : part;

/** A part of a module that refers to itself has one already. */
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

/** Verdicts on objects are kept as long as the outermost check goes on: values do not change meanwhile. */
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
