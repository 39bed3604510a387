// Compares two JSON Schemas: whether each value of the first is valid by the second, and where not.
// Accepts this package's output, TypeBox schemas and the OpenAPI form. Constraints that it cannot
// compare must be equal.

import { checkedPattern } from "../formats/pattern.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A place where a value of the first schema is invalid by the second. */
export interface Misfit {
  /** Pointer within the value: "/lines[]/qty". */
  readonly pointer: string;
  /** The first schema's constraint: "minLength 1". */
  readonly sub: string;
  /** The second schema's constraint. */
  readonly sup: string;
}

type Texts = Omit<Misfit, "pointer">;

export interface Side {
  readonly schema: unknown;
  /** Targets of `$ref`: by id, or by the name in `#/components/schemas`. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

const ANY: JsonSchema = {};

/** A schema with its own names, from `$id` and `$defs`. */
export function standalone(schema: unknown): Side {
  const named: Record<string, JsonSchema> = Object.create(null);
  const walk = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { $id, $defs = {} } = part as JsonSchema;
    if (typeof $id === "string") named[$id] ??= part as JsonSchema;
    for (const [name, definition] of Object.entries($defs as JsonSchema))
      named[name] ??= definition as JsonSchema;
    for (const inner of Object.values(part)) walk(inner);
  };
  walk(schema);
  return { schema, named };
}

/** Places where a value of `sub` may be invalid by `sup`. Empty if none is found. */
export const misfits = (sub: Side, sup: Side): readonly Misfit[] => new Comparison().misfits(sub, sup, "");

class Comparison {
  /** Pairs in comparison: a recursive schema fits unless a misfit is found elsewhere. */
  readonly #open = new Map<JsonSchema, Set<JsonSchema>>();

  misfits(subSide: Side, supSide: Side, pointer: string): readonly Misfit[] {
    const [sub, sup] = [resolved(subSide), resolved(supSide)];
    const open = this.#open.get(sub) ?? new Set();
    if (open.has(sup)) return [];
    this.#open.set(sub, open.add(sup));
    try {
      return this.#resolved({ ...subSide, schema: sub }, { ...supSide, schema: sup }, pointer);
    } finally {
      open.delete(sup);
    }
  }

  #resolved(subSide: Side, supSide: Side, pointer: string): readonly Misfit[] {
    const sub = subSide.schema as JsonSchema;
    const sup = supSide.schema as JsonSchema;
    if (isAny(sup)) return [];
    const inside = (a: unknown, b: unknown, step = ""): readonly Misfit[] =>
      this.misfits({ ...subSide, schema: a }, { ...supSide, schema: b }, pointer + step);
    const found = (sub: string, sup: string): readonly Misfit[] => [{ pointer, sub, sup }];
    if (isNever(sub)) return [];
    if (listOf(sub, "anyOf") !== undefined)
      return (listOf(sub, "anyOf") ?? []).flatMap((variant) => inside(variant, sup));
    const variants = listOf(sup, "anyOf");
    if (variants !== undefined) {
      const all = variants.map((variant) => inside(sub, variant));
      if (all.some((misfits) => misfits.length === 0)) return [];
      return variants.length === 1
        ? (all[0] ?? [])
        : found(
            shown(sub),
            variants.map((variant) => shown(resolved({ ...supSide, schema: variant }))).join(" or "),
          );
    }
    if (listOf(sup, "allOf") !== undefined) {
      const rest = { type: "object", ...mergedObjects(sup, supSide), required: [] };
      return [
        ...(listOf(sup, "allOf") ?? []).flatMap((part) => inside(sub, part)),
        ...(sup["unevaluatedProperties"] === false
          ? inside(sub, { ...rest, additionalProperties: false })
          : []),
      ];
    }
    if (isAny(sub)) return found(shown(sub), shown(sup));
    if (listOf(sub, "allOf") !== undefined) {
      const merged = mergedObjects(sub, subSide);
      if (merged !== undefined) return inside(merged, sup);
      return equal(sub, sup) ? [] : found("other parts", "these parts");
    }
    return [
      ...[...typeMisfits(sub, sup), ...limitMisfits(sub, sup)].map((texts) => ({ pointer, ...texts })),
      ...this.#objects(sub, sup, inside, pointer),
      ...this.#lists(sub, sup, inside),
    ];
  }

  #objects(
    sub: JsonSchema,
    sup: JsonSchema,
    inside: (a: unknown, b: unknown, step: string) => readonly Misfit[],
    pointer: string,
  ): readonly Misfit[] {
    const [own, others] = [propertiesOf(sub), propertiesOf(sup)];
    const required = requiredOf(sub);
    const rest = sup["additionalProperties"] ?? true;
    const misfits: Misfit[] = [];
    const beyond = (schema: unknown, step: string, what: string): void => {
      if (rest === false) misfits.push({ pointer: pointer + step, sub: what, sup: "not allowed" });
      else if (typeof rest === "object") misfits.push(...inside(schema, rest, step));
    };
    for (const name of requiredOf(sup))
      if (!required.includes(name))
        misfits.push({
          pointer: `${pointer}/${name}`,
          sub: Object.hasOwn(own, name) ? "optional" : "absent",
          sup: "required",
        });
    for (const [name, schema] of Object.entries(own))
      if (Object.hasOwn(others, name)) misfits.push(...inside(schema, others[name], `/${name}`));
      else beyond(schema, `/${name}`, "allowed");
    const [patterns, wanted] = [patternsOf(sub), patternsOf(sup)];
    for (const [pattern, schema] of Object.entries(wanted))
      misfits.push(...inside(patterns[pattern] ?? ANY, schema, "/*"));
    for (const [pattern, schema] of Object.entries(patterns))
      if (!Object.hasOwn(wanted, pattern)) beyond(schema, "/*", `properties like ${pattern}`);
    if (sup["type"] === "object" && sub["type"] === "object") {
      const others = sub["additionalProperties"] ?? true;
      if (rest === false && others !== false)
        misfits.push({ pointer, sub: "further properties", sup: "none but those that are named" });
      else if (typeof rest === "object" && others !== false)
        misfits.push(...inside(others === true ? ANY : others, rest, "/*"));
    }
    return misfits;
  }

  #lists(
    sub: JsonSchema,
    sup: JsonSchema,
    inside: (a: unknown, b: unknown, step: string) => readonly Misfit[],
  ): readonly Misfit[] {
    if (sub["type"] !== "array") return [];
    const [tuple, wanted] = [tupleOf(sub), tupleOf(sup)];
    const [own, others] = [itemsOf(sub), itemsOf(sup)];
    const misfits = others === undefined || own === false ? [] : [...inside(own ?? ANY, others, "[]")];
    for (let i = 0; i < Math.max(tuple.length, wanted.length); i += 1) {
      const inTuple = wanted[i] ?? others;
      const given = tuple[i] ?? own ?? ANY;
      if (inTuple !== undefined && given !== false) misfits.push(...inside(given, inTuple, `/${i}`));
    }
    return misfits;
  }
}

/**
 * Optional properties of `before` that `after` does not name, as pointers. An open object accepts
 * both, but the property is no longer sent or read.
 */
export function removedProperties(before: Side, after: Side): readonly string[] {
  const found: string[] = [];
  const seen = new Set<unknown>();
  const walk = (old: unknown, next: unknown, pointer: string): void => {
    const [a, b] = [resolved({ ...before, schema: old }), resolved({ ...after, schema: next })];
    if (seen.has(a)) return;
    seen.add(a);
    const others = b["properties"] as JsonSchema | undefined;
    if (others !== undefined)
      for (const [name, schema] of Object.entries(propertiesOf(a)))
        if (Object.hasOwn(others, name)) walk(schema, others[name], `${pointer}/${name}`);
        else if (!requiredOf(a).includes(name)) found.push(`${pointer}/${name}`);
    if (a["items"] !== undefined) walk(a["items"], b["items"], `${pointer}[]`);
  };
  walk(before.schema, after.schema, "");
  return found;
}

const refOf = (schema: unknown): string => ((schema as JsonSchema)?.["$ref"] as string | undefined) ?? "";

function resolved({ schema, named }: Side): JsonSchema {
  let found = schema as JsonSchema;
  // Follows chains of references, at most as long as the number of names.
  for (let n = 0; n <= Object.keys(named).length && refOf(found) !== ""; n += 1)
    found = named[refOf(found).replace("#/components/schemas/", "")] ?? ANY;
  return typeof found === "object" && found !== null ? found : ANY;
}

const listOf = (schema: JsonSchema, keyword: string): readonly JsonSchema[] | undefined =>
  Array.isArray(schema[keyword]) ? (schema[keyword] as readonly JsonSchema[]) : undefined;

const propertiesOf = (schema: JsonSchema): JsonSchema => (schema["properties"] ?? {}) as JsonSchema;

const patternsOf = (schema: JsonSchema): JsonSchema => (schema["patternProperties"] ?? {}) as JsonSchema;

/** Tuples of draft 2020-12, or in TypeBox's form. */
const tupleOf = (schema: JsonSchema): readonly unknown[] =>
  listOf(schema, "prefixItems") ?? listOf(schema, "items") ?? [];

/** The schema of all items, or of those after the tuple; false if there are none. */
const itemsOf = (schema: JsonSchema): unknown =>
  listOf(schema, "items") === undefined ? schema["items"] : schema["additionalItems"];

const requiredOf = (schema: JsonSchema): readonly string[] => (schema["required"] ?? []) as string[];

const isNever = ({ not }: JsonSchema): boolean => equal(not, {});

/** True for a schema without constraints. */
const isAny = (schema: JsonSchema): boolean =>
  ["type", "anyOf", "allOf", "const", "enum", "not", "properties", "$ref"].every(
    (keyword) => schema[keyword] === undefined,
  );

const typesOf = ({ type }: JsonSchema): readonly string[] | undefined =>
  type === undefined ? undefined : [type].flat().map(String);

const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema["const"] !== undefined ? [schema["const"]] : (schema["enum"] as readonly unknown[] | undefined);

const shown = (schema: JsonSchema): string => {
  if (isAny(schema)) return "any value";
  const values = valuesOf(schema);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ");
  return typesOf(schema)?.join(" or ") ?? "a schema";
};

const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function typeMisfits(sub: JsonSchema, sup: JsonSchema): readonly Texts[] {
  const differ = [{ sub: shown(sub), sup: shown(sup) }];
  const [values, wanted] = [valuesOf(sub), valuesOf(sup)];
  if (wanted !== undefined)
    return values?.every((value) => wanted.some((one) => equal(one, value))) === true ? [] : differ;
  const [types, allowed] = [typesOf(sub), typesOf(sup)];
  if (allowed === undefined || types === undefined) return [];
  const isIn = (type: string): boolean =>
    allowed.includes(type) || (type === "integer" && allowed.includes("number"));
  return types.every(isIn) ? [] : differ;
}

const AT_LEAST =
  "minimum exclusiveMinimum minLength minItems minProperties minContains minByteLength minimumTimestamp exclusiveMinimumTimestamp".split(
    " ",
  );
const AT_MOST = AT_LEAST.map((keyword) => keyword.replace("min", "max").replace("Min", "Max"));
const SAME = "pattern format multipleOf uniqueItems not contains source flags unevaluatedProperties".split(
  " ",
);

function limitMisfits(sub: JsonSchema, sup: JsonSchema): readonly Texts[] {
  const values = valuesOf(sub);
  const own = values === undefined ? sub : { ...sub, ...limitsOf(values) };
  const has = (keyword: string, holds: (given: number, wanted: number) => boolean): boolean => {
    const [given, wanted] = [own[keyword], sup[keyword]];
    return typeof given === "number" && typeof wanted === "number" && holds(given, wanted);
  };
  /** An exclusive bound satisfies an inclusive one of the same number; the reverse needs a stricter number. */
  const misses = (keyword: string, sign: 1 | -1): boolean => {
    const wanted = sup[keyword];
    const other = keyword.replace(/^(exclusive)?([mM])/, (_, exclusive?: string) =>
      exclusive === undefined ? "exclusiveM" : "m",
    );
    if (typeof wanted !== "number" || has(keyword, (given) => sign * given >= sign * wanted)) return false;
    const given = own[other];
    if (typeof given !== "number") return true;
    return keyword.startsWith("exclusive") ? sign * given <= sign * wanted : sign * given < sign * wanted;
  };
  const said = (schema: JsonSchema, keyword: string): string =>
    schema[keyword] === undefined
      ? values === undefined || schema !== sub
        ? `no ${keyword}`
        : shown(sub)
      : `${keyword} ${JSON.stringify(schema[keyword])}`;
  const differs = (keyword: string): boolean =>
    sup[keyword] !== undefined &&
    !equal(sub[keyword], sup[keyword]) &&
    !(keyword === "multipleOf" && has(keyword, (given, wanted) => given % wanted === 0)) &&
    !(keyword === "pattern" && values?.every((value) => fitsPattern(value, sup[keyword])) === true);
  return [
    ...AT_LEAST.filter((keyword) => misses(keyword, 1)),
    ...AT_MOST.filter((keyword) => misses(keyword, -1)),
    ...SAME.filter(differs),
  ].map((keyword) => ({ sub: said(sub, keyword), sup: said(sup, keyword) }));
}

/** The bounds of a list of values, as keywords. */
function limitsOf(values: readonly unknown[]): JsonSchema {
  const numbers = values.filter((value) => typeof value === "number");
  const lengths = values.flatMap((value) => (typeof value === "string" ? [value.length] : []));
  return {
    ...(numbers.length > 0 && { minimum: Math.min(...numbers), maximum: Math.max(...numbers) }),
    ...(lengths.length > 0 && { minLength: Math.min(...lengths), maxLength: Math.max(...lengths) }),
  };
}

/** False, too, for a pattern that cannot be tried in time. */
function fitsPattern(value: unknown, pattern: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return checkedPattern(String(pattern), "", { maxLength: value.length })(value);
  } catch {
    return false;
  }
}

/** The merged object schemas of an intersection; undefined if a part is not an object. */
function mergedObjects(schema: JsonSchema, side: Side): JsonSchema | undefined {
  const parts = (listOf(schema, "allOf") ?? []).map((part) => resolved({ ...side, schema: part }));
  if (!parts.every(({ type, properties }) => type === "object" || properties !== undefined)) return undefined;
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(propertiesOf)),
    required: parts.flatMap(requiredOf),
    ...(schema["unevaluatedProperties"] === false && { additionalProperties: false }),
  };
}
