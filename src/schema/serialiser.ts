// Writes an output as JSON by its schema. What an object's schema does not name is
// not sent; a required property that is absent is an error, never a hole.

import { createRequire } from "node:module";
import type { TSchema } from "@sinclair/typebox";
import type { Schema } from "fast-json-stringify";

import { canGenerateCode } from "./code-generation.js";
import { requireFounded } from "./founded.js";
import { AS_TEXT, AS_TEXTS, checkedWriters } from "./json-writers.js";
import { owned } from "./owned.js";
import { project } from "./projection.js";
import { type Shape, shapeOf } from "./shape.js";

export type Serialise = (value: unknown) => string;

/** With "standalone" it answers the text of a module, which may be given other writers. */
type Build = (schema: Schema, options: { readonly mode: "standalone" }) => string;

// Loaded at the first output schema: it costs a program without one nothing.
const require = createRequire(import.meta.url);

interface SerialiserOptions {
  /** Whose schema it is, for messages: "Axon 'orders', output". */
  readonly owner: string;
  /** Default: whether this process allows `new Function`. */
  readonly generate?: boolean;
}

/** Throws SCHEMA_INVALID where nothing can be written by the schema. */
export const compileSerialiser = (schema: TSchema, options: SerialiserOptions): Serialise =>
  owned(options.owner, () => compile(schema, options.generate ?? canGenerateCode));

function compile(schema: TSchema, generate: boolean): Serialise {
  requireFounded(schema);
  const shape = shapeOf(schema);
  if (!generate || !isOneShape(shape)) return (value) => JSON.stringify(project(shape, value));
  const build = require("fast-json-stringify") as Build;
  return load(build(jsonSchemaOf(shape) as Schema, { mode: "standalone" }));
}

function load(code: string): Serialise {
  const module: { exports?: Serialise } = {};
  const writers = checkedWriters();
  // The one thing that it requires is the class of the writers.
  new Function("require", "module", code)(() => ({ restoreFromState: () => writers }), module);
  return module.exports as Serialise;
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

const isText = ({ type, nullable }: Shape): boolean => type === "string" && nullable !== true;

/** The same without what only a projection needs. */
function jsonSchemaOf({
  literal: _,
  leaves,
  items,
  properties,
  additionalProperties,
  ...shape
}: Shape): object {
  if (items !== undefined && isText(items)) return { ...shape, type: "string", format: AS_TEXTS };
  return {
    ...shape,
    // Null is always one: without it, the compiled serialiser writes 0 or "" for null.
    ...(leaves !== undefined && { type: [...new Set([...leaves, "null"])] }),
    ...((shape.type === "string" || leaves?.includes("string")) && { format: AS_TEXT }),
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
