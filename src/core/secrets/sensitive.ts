import type { TSchema } from "@sinclair/typebox";

import { invalidOption, requireKnownOptions } from "../invalid-option.js";
import { meantAmong } from "../nearest.js";

/** The keyword in JSON Schema. */
export const SENSITIVE = "x-sensitive";

/** How far a value may travel: each level is above those written before it. */
export type ClassificationLevel = "public" | "internal" | "confidential" | "restricted";

/** From the lowest to the highest. */
const LEVELS: readonly ClassificationLevel[] = ["public", "internal", "confidential", "restricted"];

/** What a value says of a person. The usual categories; any other text is one too. */
export type Category =
  | "email"
  | "phone"
  | "name"
  | "address"
  | "date_of_birth"
  | "national_id"
  | "tax_id"
  | "passport"
  | "driving_licence"
  | "card"
  | "bank_account"
  | "ip_address"
  | "location"
  | "credential"
  | "health"
  | "biometric"
  | (string & {});

export interface SensitiveOptions {
  /** Default "confidential". */
  readonly level?: Exclude<ClassificationLevel, "public">;
  readonly category?: Category;
}

export interface Mark {
  readonly level: ClassificationLevel;
  readonly category?: Category;
}

/**
 * Returns a copy of the schema with a mark: its values are masked as `[redacted]` in captured
 * payloads, validation errors and log fields. Checks, types and responses are unchanged. In
 * JSON Schema: `"x-sensitive": true`, with options `{ "level": "restricted", "category": "email" }`.
 * Throws CONFIG_INVALID for a schema that has another mark.
 */
export function Sensitive<const S extends TSchema>(schema: S, options?: SensitiveOptions): S {
  const before = markOf(schema);
  if (options === undefined)
    return before === undefined || before.level === "public" ? marked(schema, true, "Sensitive") : schema;
  const call = "Sensitive(schema, options)";
  requireKnownOptions(call, options, ["level", "category"]);
  const { level = before?.level ?? "confidential", category = before?.category } = options;
  const wrong = markComplaint({ level, category });
  if (wrong !== undefined) throw invalidOption(call, wrong);
  if (level === "public")
    throw invalidOption(call, "a public value is not sensitive: use Public(schema) alone");
  return marked(schema, { level, ...(category !== undefined && { category }) }, call);
}

/**
 * Returns a copy of the schema with the mark that its values are no secrets: where a level would
 * be inferred, as for the output of a step that read personal data, it is public. In JSON Schema:
 * `"x-sensitive": { "level": "public" }`. Throws CONFIG_INVALID for a schema that is `Sensitive`.
 */
export const Public = <const S extends TSchema>(schema: S): S =>
  marked(schema, { level: "public" }, "Public(schema)");

function marked<S extends TSchema>(schema: S, value: true | Mark, call: string): S {
  const [before, after] = [markOf(schema), markOf({ [SENSITIVE]: value }) as Mark];
  if (before !== undefined && !agree(before, after))
    throw invalidOption(
      call,
      `the schema is marked ${printedMark(before)} already, and not ${printedMark(after)}: mark it once`,
    );
  // Copies symbols: TypeBox keeps kinds and optionality there. Core does not import TypeBox.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.defineProperty(copy, SENSITIVE, { value, enumerable: true, configurable: true });
}

/** The mark of a schema itself. One with an unexpected value is restricted: too much rather than too little. */
export function markOf(schema: object): Mark | undefined {
  const mark = (schema as { readonly [SENSITIVE]?: unknown })[SENSITIVE];
  if (mark === undefined || mark === false) return undefined;
  if (mark === true) return { level: "confidential" };
  return markComplaint(mark) === undefined ? (mark as Mark) : { level: "restricted" };
}

/** True if values of the schema are masked: every mark but that of `Public`. */
export const isSensitive = (schema: object): boolean => (markOf(schema)?.level ?? "public") !== "public";

/** What is wrong with the value of the keyword, and the remedy. */
export function markComplaint(mark: unknown): string | undefined {
  if (mark === true || mark === false || mark === undefined) return undefined;
  if (typeof mark !== "object" || mark === null || Array.isArray(mark))
    return `${JSON.stringify(mark)} is no mark; use true or { "level": ..., "category": ... }`;
  const { level, category, ...others } = mark as { readonly level?: unknown; readonly category?: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) return `'${other}' is no member of a mark; there are level and category`;
  if (!LEVELS.some((known) => known === level))
    return `there is no level ${JSON.stringify(level)}; ${meantLevel(level)}use one of ${LEVELS.join(", ")}`;
  if (category !== undefined && (typeof category !== "string" || category.trim() === ""))
    return 'a category is a text, such as "email"';
  return undefined;
}

function meantLevel(level: unknown): string {
  const meant = typeof level === "string" ? meantAmong(level, LEVELS) : "";
  return meant === "" ? "" : `${meant} Otherwise `;
}

/** True if two marks of one value can both hold: the same level, and no two categories. */
export const agree = (one: Mark, other: Mark): boolean =>
  one.level === other.level &&
  (one.category === undefined || other.category === undefined || one.category === other.category);

export const printedMark = ({ level, category }: Mark): string =>
  category === undefined ? level : `${level} (${category})`;

/** The higher of two levels; undefined is below all. */
export const highest = (
  one: ClassificationLevel | undefined,
  other: ClassificationLevel | undefined,
): ClassificationLevel | undefined => (rank(one) >= rank(other) ? one : other);

const rank = (level: ClassificationLevel | undefined): number =>
  level === undefined ? -1 : LEVELS.indexOf(level);
