// Serialises an output by its schema. Properties that the schema does not name are not sent. A
// value that the schema does not describe is an error.

import type { TSchema } from "@sinclair/typebox";
import { requireNonCircular } from "./circularity.js";
import { canGenerateCode } from "./code-generation.js";
import { withErrorOwner } from "./error-owner.js";
import { generateWriter, isOneShape } from "./json-code.js";
import { projected } from "./projection.js";
import { shapeOf } from "./shape.js";

/** Throws Unwritable (json-value.ts) for a value that does not match the schema. */
export type Serialise = (value: unknown) => string;

interface SerialiserOptions {
  /** The owner of the schema, for messages: "Axon 'orders', output". */
  readonly owner: string;
  /** Default: true if this process allows `new Function`. */
  readonly generate?: boolean;
}

/** Throws SCHEMA_INVALID for a schema that cannot be serialised. */
export const compileSerialiser = (schema: TSchema, options: SerialiserOptions): Serialise =>
  withErrorOwner(options.owner, () => compile(schema, options.generate ?? canGenerateCode));

function compile(schema: TSchema, generate: boolean): Serialise {
  requireNonCircular(schema);
  const shape = shapeOf(schema);
  const interpreted: Serialise = (value) => JSON.stringify(projected(shape, value));
  return generate && isOneShape(shape) ? generateWriter(shape, interpreted) : interpreted;
}
