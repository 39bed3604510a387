// A schema that is checked in two parts: a part that TypeBox checks correctly, and the rest. Errors
// show it as one schema.

import { Kind, type TSchema } from "@sinclair/typebox";

import type { SchemaError } from "#core/bus/schema-error.js";
import { define } from "../tree/schema-tree.js";

type Failure = Omit<SchemaError, "pointer">;

const FAILS_AS = Symbol("FailsAs");

/** The errors of a failure of this schema, in place of TypeBox's. */
export const failureOf = (schema: TSchema): readonly Failure[] | undefined => schema[FAILS_AS as never];

/** Sets the errors of a failure. None: the other part of the conjunction reports them. */
export const failingAs = (schema: TSchema, ...failures: readonly Failure[]): TSchema =>
  Object.defineProperty(schema, FAILS_AS, { value: failures });

/** Both schemas as one; `more` reports its own errors. References mean the conjunction. */
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

/** True for a schema made by `conjoin`. */
export const isConjunction = (schema: TSchema): boolean => failureOf(schema)?.length === 0;
