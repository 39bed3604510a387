// When two schemas are one: as text of the source, and as text of what is written.

import type { TSchema } from "@sinclair/typebox";
import { isAnnotation } from "#schema/compile/keywords.js";
import { define, eachSchema, mapSchema } from "#schema/tree/schema-tree.js";
import type { JsonSchema } from "./json-schema.js";

/** False for the numbers of recursive schemas: TypeBox gives them in the order in which modules are loaded. */
export const isName = (id: string | undefined): id is string => id !== undefined && !/^T\d+$/.test(id);

/** The schema as text, without numbers that TypeBox gives. With an `$id` annotations do not count. */
export function signatureOf(schema: TSchema, scope: ReadonlyMap<string, string>): string {
  const ids = new Map<string, string>();
  eachSchema(schema, ({ $id }) => {
    if ($id !== undefined) ids.set($id, isName($id) ? $id : `#${ids.size}`);
  });
  return JSON.stringify(
    isName(schema.$id) ? mapSchema(schema, withoutNotes) : schema,
    (key, value: unknown) => {
      if (typeof value === "bigint") return `${value}n`;
      if (Array.isArray(value)) return key === "required" ? value.toSorted() : value;
      if (typeof value === "object" && value !== null) return sortedKeys(value);
      if (typeof value !== "string" || (key !== "$id" && key !== "$ref")) return value;
      return ids.get(value) ?? scope.get(value) ?? value;
    },
  );
}

const sortedKeys = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

function withoutNotes(copy: TSchema): TSchema {
  for (const keyword of Object.keys(copy))
    if (isAnnotation(keyword) && keyword !== "$id" && keyword !== "$defs") define(copy, keyword, undefined);
  return copy;
}

/** What written JSON Schema asks of values. */
export const meaningOf = (json: JsonSchema): string => JSON.stringify(withoutAnnotations(json));

function withoutAnnotations(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withoutAnnotations);
  return Object.fromEntries(
    Object.entries(json)
      .filter(([keyword]) => !isAnnotation(keyword))
      .map(([keyword, value]) => [
        keyword,
        // Names of properties are no keywords.
        keyword === "properties" || keyword === "patternProperties"
          ? Object.fromEntries(
              Object.entries(value as object).map(([name, part]) => [name, withoutAnnotations(part)]),
            )
          : withoutAnnotations(value),
      ]),
  );
}
