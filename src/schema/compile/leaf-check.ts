// Constraints that TypeBox's compiler does not check as JSON Schema defines them (string-rules.ts,
// number-rules.ts, array-rules.ts, object-rules.ts). A schema with one gets its own kind, which
// compiled code calls as a function.

import { Kind, type TSchema, TypeRegistry } from "@sinclair/typebox";

import type { SchemaError } from "#core/bus/schema-error.js";

export interface Rule {
  readonly holds: (value: never) => boolean;
  readonly failure: Omit<SchemaError, "pointer">;
}

/** The rules of one schema: the type, and constraints on the value. */
export interface LeafRules {
  /** Undefined if another schema checks the type: the rules then accept values of other types. */
  readonly type?: "string" | "number";
  readonly rules: readonly Rule[];
}

interface Leaf extends LeafRules {
  readonly kind: string;
}

const PREFIX = "framework:leaf:";
const byConstraints = new Map<string, Leaf>();
const leaves: Leaf[] = [];

/** `schema` with the kind that checks these constraints. `make` is called for new constraints only. */
export function asLeaf(schema: TSchema, constraints: string, make: () => LeafRules): TSchema {
  const leaf = byConstraints.get(constraints) ?? register(constraints, make());
  return Object.defineProperty(schema, Kind, { value: leaf.kind, enumerable: true });
}

/** Matches calls of leaf checks in TypeBox's generated code; the group is the number of the check. */
export const leafCall = new RegExp(`kind\\('${PREFIX}(\\d+)', \\d+, `, "g");

/** The rules of the leaf check with this number. */
export const leafRules = (number: number): LeafRules => leaves[number] as LeafRules;

export const isLeaf = (schema: TSchema): boolean => leafOf(schema) !== undefined;

function leafOf(schema: TSchema): Leaf | undefined {
  const leaf = leaves[Number(String(schema[Kind]).slice(PREFIX.length))];
  return leaf?.kind === schema[Kind] ? leaf : undefined;
}

/** Failures of a value that this leaf rejected; undefined for a schema of another kind. */
export function leafFailures(schema: TSchema, value: unknown): readonly Rule["failure"][] | undefined {
  const leaf = leafOf(schema);
  if (leaf === undefined) return undefined;
  if (!isOfType(leaf.type, value)) return [{ keyword: "type", expected: `a ${leaf.type}` }];
  const failures: Rule["failure"][] = [];
  for (const { holds, failure } of leaf.rules) {
    // A text of invalid length is not matched: this bounds the time of a pattern.
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
