// A schema whose check is made of two: of what TypeBox checks as JSON Schema means it, and of the
// rest. In the errors it is one.

import { Kind, type TSchema } from "@sinclair/typebox";

import type { SchemaError } from "#core/bus/schema-error.js";
import { define } from "../tree/schema-tree.js";

type Failure = Omit<SchemaError, "pointer">;

const FAILS_AS = Symbol("FailsAs");

/** What a failure of this very schema is said to be, in place of what TypeBox says. */
export const failureOf = (schema: TSchema): readonly Failure[] | undefined => schema[FAILS_AS as never];

/** Fails as told, at its place; without a word where the other part of the split has one. */
export const failingAs = (schema: TSchema, ...failures: readonly Failure[]): TSchema =>
  Object.defineProperty(schema, FAILS_AS, { value: failures });

/** `schema` and `more`, which says for itself what is wrong. References mean both. */
export function conjoin(schema: TSchema, more: TSchema): TSchema {
  const { $id } = schema;
  const both: TSchema = {
    ...($id !== undefined && { $id }),
    allOf: [schema, more],
    [Kind]: "Intersect",
  } as never;
  if ($id !== undefined) define(schema, "$id", undefined);
  return failingAs(both);
}

/** Whether it was made by `conjoin`. */
export const isConjunction = (schema: TSchema): boolean => failureOf(schema)?.length === 0;
