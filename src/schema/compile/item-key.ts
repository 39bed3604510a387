/**
 * A text that two JSON values share if and only if they are equal, for `uniqueItems`. TypeBox's
 * hash takes 10 us for a number.
 */
export function itemKey(value: unknown): string {
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? `"${value}` : String(value);
  return JSON.stringify(value, sortKeys);
}

/** A replacer for JSON.stringify that sorts the keys of objects. */
function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
