import type { TSchema } from "@sinclair/typebox";

import { kindOf } from "./schema-tree.js";

/** A schema where it stands, and what references in it mean there. */
export interface Place {
  readonly schema: TSchema;
  readonly names: Names;
}

type Names = ReadonlyMap<string, Place>;

/** What references mean right inside a place. */
export function namesWithin(place: Place): Names {
  const { schema, names: outer } = place;
  const definitions = kindOf(schema) === "Import" ? (schema["$defs"] as Record<string, TSchema>) : {};
  if (schema.$id === undefined && Object.keys(definitions).length === 0) return outer;
  const names = new Map(outer);
  if (schema.$id !== undefined) names.set(schema.$id, place);
  for (const [name, part] of Object.entries(definitions)) names.set(name, { schema: part, names });
  return names;
}

/** What an Import, a Ref or a This stands for. */
export const meant = (place: Place): Place | undefined => namesWithin(place).get(place.schema["$ref"]);
