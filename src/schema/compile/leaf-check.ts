// Constraints that TypeBox's compiler does not check as JSON Schema means them (string-rules.ts,
// number-rules.ts, array-rules.ts, object-rules.ts). Such a schema gets a kind of its own, which
// compiled code calls as a plain function.

import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox";

import type { SchemaError } from "#core/bus/schema-error.js";

export interface Rule {
  readonly holds: (value: never) => boolean;
  readonly failure: Omit<SchemaError, "pointer">;
}

/** The constraints of one schema: what type the value has, and what more is asked of it. */
export interface LeafRules {
  /** Undefined of what another schema has checked: the rules hold for values of other types. */
  readonly type?: "string" | "number";
  readonly rules: readonly Rule[];
}

interface Leaf extends LeafRules {
  readonly kind: string;
}

const PREFIX = "framework:leaf:";
const byConstraints = new Map<string, Leaf>();
const leaves: Leaf[] = [];

/** `schema` under the kind that checks these constraints. `make` runs when they are new. */
export function asLeaf(schema: TSchema, constraints: string, make: () => LeafRules): TSchema {
  const leaf = byConstraints.get(constraints) ?? register(constraints, make());
  return Object.defineProperty(schema, Kind, { value: leaf.kind, enumerable: true });
}

/** Finds the calls of leaf checks in code from TypeBox's compiler; the group is the check's number. */
export const leafCall = new RegExp(`kind\\('${PREFIX}(\\d+)', \\d+, `, "g");

/** The constraints that the leaf check of this number checks. */
export const leafRules = (number: number): LeafRules => leaves[number] as LeafRules;

export const isLeaf = (schema: TSchema): boolean => leafOf(schema) !== undefined;

function leafOf(schema: TSchema): Leaf | undefined {
  const leaf = leaves[Number(String(schema[Kind]).slice(PREFIX.length))];
  return leaf?.kind === schema[Kind] ? leaf : undefined;
}

/** What is wrong with a value that failed this leaf; undefined for a schema of another kind. */
export function leafFailures(schema: TSchema, value: unknown): readonly Rule["failure"][] | undefined {
  const leaf = leafOf(schema);
  if (leaf === undefined) return undefined;
  if (!isOfType(leaf.type, value)) return [{ keyword: "type", expected: `a ${leaf.type}` }];
  const failures: Rule["failure"][] = [];
  for (const { holds, failure } of leaf.rules) {
    // A text of a length that is refused is not looked at: that is what bounds a pattern's time.
    if (failures.length > 0 && isOfText(failure)) break;
    if (!holds(value as never)) failures.push(failure);
  }
  return failures;
}

const isOfText = ({ keyword }: Rule["failure"]): boolean => keyword === "pattern" || keyword === "format";

function register(constraints: string, rulesOf: LeafRules): Leaf {
  const { type, rules } = rulesOf;
  const leaf = { kind: `${PREFIX}${leaves.length}`, ...rulesOf };
  leaves.push(leaf);
  byConstraints.set(constraints, leaf);
  TypeRegistry.Set(
    leaf.kind,
    (_, value) => isOfType(type, value) && rules.every((rule) => rule.holds(value as never)),
  );
  return leaf;
}

const isOfType = (type: LeafRules["type"], value: unknown): boolean =>
  type === undefined || (type === "string" ? typeof value === "string" : Number.isFinite(value));
