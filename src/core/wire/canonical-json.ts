import type { Json } from "./json-text.js";

/** The canonical text of JSON (RFC 8785): members in the order of their names' UTF-16 units, no whitespace. */
export function canonicalJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const record = value as { readonly [name: string]: Json };
  const members = Object.keys(record)
    .sort(byUnits)
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(record[name] as Json)}`);
  return `{${members.join(",")}}`;
}

const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
