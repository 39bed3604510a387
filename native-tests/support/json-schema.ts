// JSON Schema 2020-12 read plainly, to compare checks with: slow, and without patterns on values
// or formats. Of TypeBox's words it knows `items` that are a list, and `$ref` by `$id`.

import { isDeepStrictEqual } from "node:util";

type Json = unknown;
type Keywords = Readonly<Record<string, Json>>;
type Names = ReadonlyMap<string, Keywords>;

export const fits = (schema: object, value: Json): boolean =>
  evaluated(JSON.parse(JSON.stringify(schema)), value, new Map()) !== undefined;

/** As JSON has them: 0 is -0. */
const isSame = (one: Json, other: Json): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));

/** The names of the properties that the schema evaluates; undefined where the value does not fit. */
function evaluated(schema: Json, value: Json, outer: Names): ReadonlySet<string> | undefined {
  if (typeof schema === "boolean") return schema ? new Set() : undefined;
  const keywords = schema as Keywords;
  const names =
    typeof keywords["$id"] === "string" ? new Map([...outer, [keywords["$id"], keywords]]) : outer;
  const inner = (part: Json, at = value) => evaluated(part, at, names);
  const reference = keywords["$ref"] as string | undefined;
  if (reference !== undefined) {
    const definitions = Object.values((keywords["$defs"] ?? {}) as Record<string, Keywords>);
    const meanings = new Map([
      ...names,
      ...definitions.map((part) => [part["$id"] as string, part] as const),
    ]);
    return evaluated(meanings.get(reference), value, meanings);
  }
  if (!hasType(keywords["type"], value) || !isInBounds(keywords, value)) return undefined;
  const found = new Set<string>();
  const all = (keywords["allOf"] ?? []) as Json[];
  const any = keywords["anyOf"] as Json[] | undefined;
  const matched = [all, any ?? []].map((parts) => parts.map((part) => inner(part)));
  if (matched[0]?.includes(undefined)) return undefined;
  if (any !== undefined && matched[1]?.every((part) => part === undefined)) return undefined;
  for (const name of matched.flat().flatMap((part) => [...(part ?? [])])) found.add(name);
  if (keywords["not"] !== undefined && inner(keywords["not"]) !== undefined) return undefined;
  if (Array.isArray(value) && !areItems(keywords, value, (part, item) => inner(part, item) !== undefined))
    return undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return found;
  const { properties = {}, patternProperties = {}, additionalProperties = {} } = keywords;
  const required = (keywords["required"] ?? []) as string[];
  if (!required.every((name) => Object.hasOwn(value, name))) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties as object, name) ? [(properties as Keywords)[name]] : [];
    const patterned = Object.entries(patternProperties as Keywords).flatMap(([pattern, part]) =>
      new RegExp(pattern, "su").test(name) ? [part] : [],
    );
    const parts = [...own, ...patterned];
    if (parts.length === 0 && keywords["additionalProperties"] !== undefined)
      parts.push(additionalProperties);
    if (parts.some((part) => inner(part, member) === undefined)) return undefined;
    if (parts.length > 0) found.add(name);
  }
  const rest = keywords["unevaluatedProperties"];
  if (rest === undefined) return found;
  for (const [name, member] of Object.entries(value)) {
    if (!found.has(name) && inner(rest, member) === undefined) return undefined;
    found.add(name);
  }
  return found;
}

function hasType(type: Json, value: Json): boolean {
  switch (type) {
    case undefined:
      return true;
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isInBounds(keywords: Keywords, value: Json): boolean {
  const within = (size: number, least: Json, most: Json) =>
    size >= ((least as number) ?? 0) && size <= ((most as number) ?? Number.POSITIVE_INFINITY);
  if ("const" in keywords && !isSame(keywords["const"], value)) return false;
  if (typeof value === "string")
    return within([...value].length, keywords["minLength"], keywords["maxLength"]);
  if (typeof value === "number")
    return within(
      value + 1e6,
      ((keywords["minimum"] as number) ?? -1e6) + 1e6,
      ((keywords["maximum"] as number) ?? 1e9) + 1e6,
    );
  if (Array.isArray(value)) return within(value.length, keywords["minItems"], keywords["maxItems"]);
  if (typeof value === "object" && value !== null)
    return within(Object.keys(value).length, keywords["minProperties"], keywords["maxProperties"]);
  return true;
}

function areItems(
  keywords: Keywords,
  items: readonly Json[],
  fit: (part: Json, item: Json) => boolean,
): boolean {
  const { items: of = {}, contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY } = keywords;
  const isEach = Array.isArray(of)
    ? of.every((part, at) => at >= items.length || fit(part, items[at]))
    : items.every((item) => fit(of, item));
  const count = items.filter((item) => fit(contains ?? {}, item)).length;
  const isCounted =
    contains === undefined || (count >= (minContains as number) && count <= (maxContains as number));
  const isUnique = items.every((item, at) => !items.slice(0, at).some((other) => isSame(item, other)));
  return isEach && isCounted && (keywords["uniqueItems"] !== true || isUnique);
}
