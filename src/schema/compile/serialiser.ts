// Writes an output as JSON by its schema. What an object's schema does not name is not
// sent; what the schema does not describe is an error, never another value.

import type { TSchema } from "@sinclair/typebox";
import { requireNonCircular } from "./circularity.js";
import { canGenerateCode } from "./code-generation.js";
import { withErrorOwner } from "./error-owner.js";
import { generateWriter, isOneShape } from "./json-code.js";
import { projected } from "./projection.js";
import { shapeOf } from "./shape.js";

/** Throws Unwritable (json-value.ts) where the value is not what the schema describes. */
export type Serialise = (value: unknown) => string;

interface SerialiserOptions {
  /** Whose schema it is, for messages: "Axon 'orders', output". */
  readonly owner: string;
  /** Default: whether this process allows `new Function`. */
  readonly generate?: boolean;
}

/** Throws SCHEMA_INVALID where nothing can be written by the schema. */
export const compileSerialiser = (schema: TSchema, options: SerialiserOptions): Serialise =>
  withErrorOwner(options.owner, () => compile(schema, options.generate ?? canGenerateCode));

function compile(schema: TSchema, generate: boolean): Serialise {
  requireNonCircular(schema);
  const shape = shapeOf(schema);
  const interpreted: Serialise = (value) => JSON.stringify(projected(shape, value));
  return generate && isOneShape(shape) ? generateWriter(shape, interpreted) : interpreted;
}
