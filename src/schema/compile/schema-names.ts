// TypeBox compiles a named schema (`$id`, a part of a Type.Module) once, and uses the first of
// those with the same name. Of two modules with an "Item" each, one would be checked by the
// other's.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { define, kindOf, mapSchema, partsOf } from "../tree/schema-tree.js";
import { isAnnotation } from "./keywords.js";

/** Throws SCHEMA_INVALID if two different schemas have the same name. */
export function requireOneMeaning(schema: TSchema): void {
  const ids = new Map<string, TSchema>();
  const modules = new Map<string, TSchema>();
  const texts = new Map<TSchema, string>();
  const textOf = (part: TSchema): string => {
    const text = texts.get(part) ?? written(part);
    texts.set(part, text);
    return text;
  };
  const record = (known: Map<string, TSchema>, name: string, part: TSchema, pointer: string): void => {
    const other = known.get(name) ?? part;
    known.set(name, part);
    if (other !== part && textOf(other) !== textOf(part))
      throw new FrameworkError(
        "SCHEMA_INVALID",
        `Schema at '${pointer}': another schema is named '${visible(name)}', and means something else; give one of them another name`,
      );
  };
  const walk = (part: TSchema, pointer: string): void => {
    if (kindOf(part) === "Import")
      for (const name of Object.keys(part["$defs"])) record(modules, name, part, pointer);
    if (part.$id !== undefined) record(ids, part.$id, part, pointer);
    for (const [step, inner] of partsOf(part)) walk(inner, `${pointer}/${step}`);
  };
  walk(schema, "");
}

/** The constraints of a schema as text; for a module those of all its parts. */
function written(schema: TSchema): string {
  const copy = mapSchema(schema, (part) => {
    for (const keyword of Object.keys(part))
      if (isAnnotation(keyword) && keyword !== "$defs") define(part, keyword, undefined);
    return part;
  });
  return JSON.stringify(kindOf(copy) === "Import" ? copy["$defs"] : copy);
}
