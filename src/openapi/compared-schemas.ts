// Whether every value of one JSON Schema is a value of another, as far as their form shows, and where not.
// For schemas as this package writes them; what it cannot compare has to be equal.

import type { JsonSchema } from "./json-schema.js";

/** One place where a value of the first is no value of the second. */
export interface Misfit {
  /** In the value: "/lines[]/qty". */
  readonly pointer: string;
  /** What the first says there, as text: "minLength 1". */
  readonly sub: string;
  /** What the second says. */
  readonly sup: string;
}

type Texts = Omit<Misfit, "pointer">;

interface Side {
  readonly schema: unknown;
  /** `components.schemas`. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

const ANY: JsonSchema = {};

export class SchemaComparison {
  /** Pairs that are being compared: a recursive schema fits where nothing else is found. */
  readonly #open = new Set<string>();

  misfits(sub: Side, sup: Side, pointer = ""): readonly Misfit[] {
    const pair = `${refOf(sub.schema)} ${refOf(sup.schema)}`;
    const isNamed = pair !== " ";
    if (isNamed && this.#open.has(pair)) return [];
    if (isNamed) this.#open.add(pair);
    try {
      return this.#resolved({ ...sub, schema: resolved(sub) }, { ...sup, schema: resolved(sup) }, pointer);
    } finally {
      if (isNamed) this.#open.delete(pair);
    }
  }

  #resolved(subSide: Side, supSide: Side, pointer: string): readonly Misfit[] {
    const sub = subSide.schema as JsonSchema;
    const sup = supSide.schema as JsonSchema;
    if (isAny(sup)) return [];
    const inside = (a: unknown, b: unknown, step = ""): readonly Misfit[] =>
      this.misfits({ ...subSide, schema: a }, { ...supSide, schema: b }, pointer + step);
    const found = (sub: string, sup: string): readonly Misfit[] => [{ pointer, sub, sup }];
    if (isAny(sub)) return found("any value", shown(sup));
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
    if (listOf(sup, "allOf") !== undefined)
      return (listOf(sup, "allOf") ?? []).flatMap((part) => inside(sub, part));
    const parts = listOf(sub, "allOf");
    if (parts !== undefined) {
      const merged = mergedObjects(parts.map((schema) => resolved({ ...subSide, schema })));
      return merged === undefined
        ? equal(sub, sup)
          ? []
          : found("other parts", "these parts")
        : inside(merged, sup);
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
    const misfits: Misfit[] = [];
    for (const name of requiredOf(sup))
      if (!required.includes(name))
        misfits.push({
          pointer: `${pointer}/${name}`,
          sub: name in own ? "optional" : "absent",
          sup: "required",
        });
    for (const [name, schema] of Object.entries(own))
      if (name in others) misfits.push(...inside(schema, others[name], `/${name}`));
      else if (sup["additionalProperties"] === false)
        misfits.push({ pointer: `${pointer}/${name}`, sub: "allowed", sup: "not allowed" });
      else if (typeof sup["additionalProperties"] === "object")
        misfits.push(...inside(schema, sup["additionalProperties"], `/${name}`));
    if (sup["type"] === "object" && sub["type"] === "object") {
      const [rest, wanted] = [sub["additionalProperties"] ?? true, sup["additionalProperties"] ?? true];
      if (wanted === false && rest !== false)
        misfits.push({ pointer, sub: "further properties", sup: "none but those that are named" });
      else if (typeof wanted === "object" && rest !== false)
        misfits.push(...inside(rest === true ? ANY : rest, wanted, "/*"));
    }
    return misfits;
  }

  #lists(
    sub: JsonSchema,
    sup: JsonSchema,
    inside: (a: unknown, b: unknown, step: string) => readonly Misfit[],
  ): readonly Misfit[] {
    const wanted = sup["items"];
    const misfits =
      wanted === undefined || wanted === false || sub["type"] !== "array"
        ? []
        : [...inside(sub["items"] === false ? wanted : (sub["items"] ?? ANY), wanted, "[]")];
    const tuple = listOf(sub, "prefixItems") ?? [];
    for (const [i, schema] of (listOf(sup, "prefixItems") ?? []).entries())
      misfits.push(...inside(tuple[i] ?? ANY, schema, `/${i}`));
    return misfits;
  }
}

const refOf = (schema: unknown): string => ((schema as JsonSchema)?.["$ref"] as string | undefined) ?? "";

function resolved({ schema, named }: Side): JsonSchema {
  let found = schema as JsonSchema;
  // A reference to a reference, at most as often as there are names.
  for (let n = 0; n <= Object.keys(named).length && refOf(found) !== ""; n += 1)
    found = named[refOf(found).replace("#/components/schemas/", "")] ?? ANY;
  return typeof found === "object" && found !== null ? found : ANY;
}

const listOf = (schema: JsonSchema, keyword: string): readonly JsonSchema[] | undefined =>
  Array.isArray(schema[keyword]) ? (schema[keyword] as readonly JsonSchema[]) : undefined;

const propertiesOf = (schema: JsonSchema): Readonly<Record<string, unknown>> =>
  (schema["properties"] ?? {}) as Record<string, unknown>;

const requiredOf = (schema: JsonSchema): readonly string[] => (schema["required"] ?? []) as string[];

/** Says nothing of a value. */
const isAny = (schema: JsonSchema): boolean =>
  ["type", "anyOf", "allOf", "const", "enum", "not", "properties", "$ref"].every(
    (keyword) => schema[keyword] === undefined,
  );

const typesOf = ({ type }: JsonSchema): readonly string[] | undefined =>
  type === undefined ? undefined : [type].flat().map(String);

const valuesOf = (schema: JsonSchema): readonly unknown[] | undefined =>
  schema["const"] !== undefined ? [schema["const"]] : (schema["enum"] as readonly unknown[] | undefined);

const shown = (schema: JsonSchema): string => {
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

const AT_LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const AT_MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const SAME = ["pattern", "format", "multipleOf", "uniqueItems", "not", "contains", "patternProperties"];

function limitMisfits(sub: JsonSchema, sup: JsonSchema): readonly Texts[] {
  if (valuesOf(sub) !== undefined) return [];
  const misses = (keyword: string, holds: (own: number, other: number) => boolean): boolean => {
    const [own, other] = [sub[keyword], sup[keyword]];
    return typeof other === "number" && !(typeof own === "number" && holds(own, other));
  };
  const said = (schema: JsonSchema, keyword: string): string =>
    schema[keyword] === undefined ? `no ${keyword}` : `${keyword} ${JSON.stringify(schema[keyword])}`;
  return [
    ...AT_LEAST.filter((keyword) => misses(keyword, (own, other) => own >= other)),
    ...AT_MOST.filter((keyword) => misses(keyword, (own, other) => own <= other)),
    ...SAME.filter((keyword) => sup[keyword] !== undefined && !equal(sub[keyword], sup[keyword])),
  ].map((keyword) => ({ sub: said(sub, keyword), sup: said(sup, keyword) }));
}

/** Undefined where a part is no object. */
function mergedObjects(parts: readonly JsonSchema[]): JsonSchema | undefined {
  if (!parts.every(({ type, properties }) => type === "object" || properties !== undefined)) return undefined;
  return {
    type: "object",
    properties: Object.assign({}, ...parts.map(propertiesOf)),
    required: parts.flatMap(requiredOf),
  };
}
