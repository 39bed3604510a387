import type { TSchema } from "@sinclair/typebox";

import { kindOf } from "./schema-tree.js";

/** A schema in its context: the targets of its references. */
export interface Place {
  readonly schema: TSchema;
  readonly names: Names;
}

type Names = ReadonlyMap<string, Place>;

/** The targets of references directly inside a place. */
export function namesWithin(place: Place): Names {
  const { schema, names: outer } = place;
  const definitions = kindOf(schema) === "Import" ? (schema["$defs"] as Record<string, TSchema>) : {};
  if (schema.$id === undefined && Object.keys(definitions).length === 0) return outer;
  const names = new Map(outer);
  if (schema.$id !== undefined) names.set(schema.$id, place);
  for (const [name, part] of Object.entries(definitions)) names.set(name, { schema: part, names });
  return names;
}

/** The target of an Import, a Ref or a This. */
export const meant = (place: Place): Place | undefined => namesWithin(place).get(place.schema["$ref"]);
