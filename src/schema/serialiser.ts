// Writes an output as JSON by its schema. What an object's schema does not name is
// not sent; a required property that is absent is an error, never a hole.

import { createRequire } from "node:module";
import type { TSchema } from "@sinclair/typebox";
import type { Schema } from "fast-json-stringify";

import { canGenerateCode } from "./code-generation.js";
import { project } from "./projection.js";
import { type Shape, shapeOf } from "./shape.js";

export type Serialise = (value: unknown) => string;

type Build = (schema: Schema) => Serialise;

// Loaded at the first output schema: it costs a program without one nothing.
const require = createRequire(import.meta.url);

export function compileSerialiser(schema: TSchema, generate = canGenerateCode): Serialise {
  const shape = shapeOf(schema);
  if (!generate || !isOneShape(shape)) return (value) => JSON.stringify(project(shape, value));
  const build = require("fast-json-stringify") as Build;
  return build(jsonSchemaOf(shape) as Schema);
}

/** Whether it is known beforehand what each value looks like: only then is code compiled for it. */
function isOneShape({
  variants,
  named,
  patterns,
  tuple,
  items,
  properties,
  additionalProperties,
}: Shape): boolean {
  if (variants !== undefined || named !== undefined || patterns !== undefined || tuple !== undefined)
    return false;
  const rest = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...(items === undefined ? [] : [items]), ...Object.values(properties ?? {}), ...rest].every(
    isOneShape,
  );
}

/** The same without what only a projection needs. */
function jsonSchemaOf({
  literal: _,
  leaves,
  items,
  properties,
  additionalProperties,
  ...shape
}: Shape): object {
  return {
    ...shape,
    // Null is always one: without it, the compiled serialiser writes 0 or "" for null.
    ...(leaves !== undefined && { type: [...new Set([...leaves, "null"])] }),
    // In a list, so that an array or a text in its place is an error.
    ...(shape.type === "object" && { type: ["object"] }),
    ...(items !== undefined && { items: jsonSchemaOf(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, jsonSchemaOf(inner)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties: additionalProperties === true || jsonSchemaOf(additionalProperties),
    }),
  };
}
