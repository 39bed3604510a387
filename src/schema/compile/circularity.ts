// Rejects schemas that are one of their own variants without a property or item in between. Neither
// a check nor a serialiser of such a schema would terminate.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { meant, namesWithin, type Place } from "../tree/place.js";
import { kindOf, partsOf } from "../tree/schema-tree.js";

/** Throws SCHEMA_INVALID if a union, an intersection or a reference directly contains itself. */
export function requireNonCircular(schema: TSchema): void {
  walk({ schema, names: new Map() }, "", new Set());
}

function walk(place: Place, pointer: string, cleared: Set<TSchema>): void {
  if (leadsBack(place, new Set(), cleared)) {
    throw new FrameworkError(
      "SCHEMA_INVALID",
      `Schema at '${pointer}' is itself again before any value was looked at: put an object or a list between the two`,
    );
  }
  const names = namesWithin(place);
  for (const [step, schema] of partsOf(place.schema)) walk({ schema, names }, `${pointer}/${step}`, cleared);
}

/** True if a schema contains itself through its variants. `cleared` caches the schemas that do not. */
function leadsBack(place: Place, above: Set<TSchema>, cleared: Set<TSchema>): boolean {
  const { schema } = place;
  if (cleared.has(schema)) return false;
  if (above.has(schema)) return true;
  above.add(schema);
  const found = meansOf(place).some((next) => leadsBack(next, above, cleared));
  above.delete(schema);
  cleared.add(schema);
  return found;
}

/** The schemas that a value is checked against instead, for kinds without rules of their own. */
function meansOf(place: Place): readonly Place[] {
  const { schema } = place;
  const names = namesWithin(place);
  switch (kindOf(schema)) {
    case "Union":
      return (schema["anyOf"] as TSchema[]).map((part) => ({ schema: part, names }));
    case "Intersect":
      return (schema["allOf"] as TSchema[]).map((part) => ({ schema: part, names }));
    case "Not":
      return [{ schema: schema["not"] as TSchema, names }];
    case "Import":
    case "Ref":
    case "This": {
      const other = meant(place);
      return other === undefined ? [] : [other];
    }
    default:
      return [];
  }
}
