// The depth of the shallowest value of each part of a schema. Draws of recursive schemas use it to
// end.

import type { TSchema } from "@sinclair/typebox";

import { meant, namesWithin, type Place } from "../tree/place.js";
import { kindOf, partsOf } from "../tree/schema-tree.js";

export type LeastDepth = (schema: TSchema) => number;

/** Infinity for a part without a finite value. */
export function leastDepthOf(root: Place): LeastDepth {
  const places = new Map<TSchema, Place>();
  collect(root, places);
  const depths = new Map<TSchema, number>(
    [...places.keys()].map((schema) => [schema, Number.POSITIVE_INFINITY]),
  );
  const of = (schema: TSchema): number => depths.get(schema) ?? 1;
  // Terminates: depths only decrease, and each round decreases at least one.
  for (let changes = true; changes; ) {
    changes = false;
    for (const [schema, place] of places) {
      const depth = depthOf(place, of);
      if (depth >= of(schema)) continue;
      depths.set(schema, depth);
      changes = true;
    }
  }
  return of;
}

function collect(place: Place, places: Map<TSchema, Place>): void {
  if (places.has(place.schema)) return;
  places.set(place.schema, place);
  const names = namesWithin(place);
  for (const [, schema] of partsOf(place.schema)) collect({ schema, names }, places);
  const other = meant(place);
  if (other !== undefined) collect(other, places);
}

function depthOf(place: Place, of: LeastDepth): number {
  const { schema } = place;
  const deepest = (parts: readonly TSchema[]): number => Math.max(0, ...parts.map(of));
  switch (kindOf(schema)) {
    case "Object": {
      const { properties, required = [] } = schema;
      return 1 + deepest(required.map((name: string) => properties[name]));
    }
    case "Array": {
      const { items, minItems = 0, contains } = schema;
      return 1 + deepest([...(minItems > 0 ? [items] : []), ...(contains === undefined ? [] : [contains])]);
    }
    case "Tuple":
      return 1 + deepest(schema["items"] ?? []);
    case "Record":
      return (
        1 + ((schema["minProperties"] ?? 0) > 0 ? deepest(Object.values(schema["patternProperties"])) : 0)
      );
    case "Union":
      return Math.min(...(schema["anyOf"] as TSchema[]).map(of));
    case "Intersect":
      return deepest(schema["allOf"]);
    case "Never":
      return Number.POSITIVE_INFINITY;
    case "Import":
    case "Ref":
    case "This": {
      const other = meant(place);
      return other === undefined ? Number.POSITIVE_INFINITY : of(other.schema);
    }
    default:
      return 1;
  }
}
