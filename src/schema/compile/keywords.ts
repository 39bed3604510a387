// The keywords that are checked for each kind of schema. TypeBox ignores any other keyword: a typo
// or an unsupported constraint would let all values pass.

import type { TSchema } from "@sinclair/typebox";

import { kindOf } from "../tree/schema-tree.js";

/** The problem of a schema, and the remedy. */
interface Complaint {
  readonly what: string;
  readonly remedy: string;
}

const STRING = "type minLength maxLength pattern format";
const NUMBER = "type minimum maximum exclusiveMinimum exclusiveMaximum multipleOf";

const CHECKED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Any: "",
    Array: "type items minItems maxItems uniqueItems contains minContains maxContains",
    BigInt: NUMBER,
    Boolean: "type",
    Date: "type minimumTimestamp maximumTimestamp exclusiveMinimumTimestamp exclusiveMaximumTimestamp multipleOfTimestamp",
    Import: "$ref",
    Integer: NUMBER,
    Intersect: "type allOf unevaluatedProperties",
    Literal: "type const",
    Never: "not",
    Not: "not",
    Null: "type",
    Number: NUMBER,
    Object: "type properties required additionalProperties minProperties maxProperties",
    Record: "type patternProperties additionalProperties minProperties maxProperties",
    Ref: "$ref",
    RegExp: "type source flags minLength maxLength format",
    String: STRING,
    Symbol: "type",
    TemplateLiteral: STRING,
    This: "$ref",
    Tuple: "type items additionalItems minItems maxItems",
    Uint8Array: "type minByteLength maxByteLength",
    Undefined: "type",
    Union: "anyOf",
    Unknown: "",
    Void: "type",
  }).map(([kind, keywords]) => [kind, keywords.split(" ")]),
);

/** Keywords that do not constrain values (JSON Schema 2020-12; OpenAPI 3.1). */
const ANNOTATIONS = [
  "$id $schema $comment $defs title description default examples deprecated readOnly writeOnly",
  "contentEncoding contentMediaType contentSchema example externalDocs xml discriminator",
].flatMap((names) => names.split(" "));

export const isAnnotation = (keyword: string): boolean =>
  ANNOTATIONS.includes(keyword) || keyword.startsWith("x-");

export const isChecked = (kind: string | undefined): boolean => kind !== undefined && CHECKED.has(kind);

const REMEDIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    const: "use Type.Literal",
    dependentRequired: "use a Type.Union of objects, each with the properties that belong together",
    dependentSchemas: "use a Type.Union of objects",
    else: "use a Type.Union of the cases",
    enum: "use a Type.Union of Type.Literal",
    if: "use a Type.Union of the cases",
    nullable: "use a Type.Union with Type.Null()",
    oneOf: "use Type.Union, and a Type.Literal in each object that tells them apart",
    patternProperties: "use a Type.Record whose keys have the pattern",
    prefixItems: "use Type.Tuple",
    propertyNames: "use a Type.Record whose keys are a Type.String with a pattern",
    then: "use a Type.Union of the cases",
    unevaluatedItems: "use Type.Tuple",
  }),
);

/** The first problem of a schema's own keywords: one that is not checked, or one with an invalid value. */
export function keywordComplaint(schema: TSchema): Complaint | undefined {
  const kind = kindOf(schema) as string;
  const checked = CHECKED.get(kind) ?? [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || isAnnotation(keyword)) continue;
    if (!checked.includes(keyword)) return unread(keyword, kind);
    const expected = kind === "BigInt" ? undefined : expectedOf(keyword, value);
    if (expected !== undefined)
      return { what: `${keyword} is ${printed(value)}`, remedy: `give it ${expected}` };
  }
  return undefined;
}

function unread(keyword: string, kind: string): Complaint {
  const what = `no check of ${kind} reads ${JSON.stringify(keyword)}`;
  const remedy = REMEDIES.get(keyword);
  if (remedy !== undefined) return { what, remedy };
  const meant = [...(CHECKED.get(kind) ?? []), ...ANNOTATIONS].find((known) => isNear(keyword, known));
  if (meant !== undefined) return { what, remedy: `did you mean ${meant}?` };
  const others = [...CHECKED].flatMap(([other, keywords]) => (keywords.includes(keyword) ? [other] : []));
  const use = others.length === 0 ? "" : `, or use it with ${others.join(", ")}`;
  return { what, remedy: `leave it out${use}; a note of your own begins with x-` };
}

const COUNTS = /^(?:min|max)(?:Items|Contains|Length|Properties|ByteLength)$/;
const BOUNDS = /^(?:exclusiveM|m)(?:in|ax)imum(?:Timestamp)?$/;

/** Description of a keyword's valid values; undefined if the value is valid. */
function expectedOf(keyword: string, value: unknown): string | undefined {
  if (COUNTS.test(keyword)) return isCount(value) ? undefined : "a whole number from 0";
  if (BOUNDS.test(keyword)) return Number.isFinite(value) ? undefined : "a number";
  if (/^multipleOf/.test(keyword))
    return Number.isFinite(value) && (value as number) > 0 ? undefined : "a number above 0";
  if (keyword === "uniqueItems") return typeof value === "boolean" ? undefined : "true or false";
  if (["pattern", "format", "source", "flags"].includes(keyword))
    return typeof value === "string" ? undefined : "a string";
  if (keyword === "contains") return isObject(value) ? undefined : "a schema";
  if (["additionalProperties", "unevaluatedProperties"].includes(keyword))
    return typeof value === "boolean" || isObject(value) ? undefined : "true, false or a schema";
  if (keyword === "required")
    return Array.isArray(value) && value.every((name) => typeof name === "string")
      ? undefined
      : "a list of names";
  return undefined;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const printed = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value) : isObject(value) ? "an object" : String(value);

/** True if two names differ in case only, or by one letter that is wrong, missing, extra or transposed. */
function isNear(one: string, other: string): boolean {
  const [short, long] = [one.toLowerCase(), other.toLowerCase()].sort((a, b) => a.length - b.length);
  if (short === undefined || long === undefined || long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  return (
    short.slice(at + 1) === long.slice(at + 1) ||
    `${short[at + 1]}${short[at]}${short.slice(at + 2)}` === long.slice(at)
  );
}
