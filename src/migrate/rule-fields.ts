// The fields of a [[rules]] table, by kind.

import { didYouMean, nearest } from "#core/nearest.js";
import { visible } from "#core/wire/visible-text.js";

type FieldType = "text" | "texts" | "flag" | "count";

interface Kind {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  text_replace: {
    required: ["pattern", "replacement"],
    optional: ["regex", "word", "count", "files"],
  },
  rename_import: {
    required: ["from_module"],
    optional: ["to_module", "from_name", "to_name", "files"],
  },
  warn: {
    required: ["message"],
    optional: ["pattern", "regex", "word", "from_module", "from_name", "link", "files"],
  },
  dependency: { required: ["from_name"], optional: ["to_name", "version", "files"] },
  config_key: { required: ["from_name", "to_name"], optional: ["files"] },
};

const TYPES: Readonly<Record<string, FieldType>> = {
  ...{ regex: "flag", word: "flag", count: "count", files: "texts" },
};

const EXPECTED: Readonly<Record<FieldType, string>> = {
  text: 'a text, such as "name"',
  texts: 'a glob or a list of globs, such as ["src/**/*.ts"]',
  flag: "true or false",
  count: "a whole number from 1 on",
};

const IS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  texts: (value) =>
    [value].flat().every((one) => typeof one === "string" && one !== "") && [value].flat().length > 0,
  flag: (value) => typeof value === "boolean",
  // TOML's integers are read as numbers.
  count: (value) => Number.isSafeInteger(value) && (value as number) > 0,
};

/** An empty text is a replacement, and nothing else. */
const MAY_BE_EMPTY = new Set(["replacement"]);

type Table = Readonly<Record<string, unknown>>;

/** What is wrong with a table of rules, by its fields alone. */
export function wrongFields(table: Table): readonly string[] {
  const { kind } = table;
  if (kind === undefined) return [`\`kind\` is missing; it is one of ${Object.keys(KINDS).join(", ")}`];
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind))
    return [`there is no kind ${shown(kind)}; ${remedyFor(String(kind), Object.keys(KINDS))}`];
  const { required, optional } = KINDS[kind] as Kind;
  const known = ["kind", ...required, ...optional];
  return [
    ...Object.entries(table).flatMap(([name, value]) => wrongValue(name, value, known)),
    ...required.filter((name) => table[name] === undefined).map((name) => `\`${name}\` is missing`),
  ];
}

function wrongValue(name: string, value: unknown, known: readonly string[]): readonly string[] {
  if (!known.includes(name)) return [`there is no field ${shown(name)}; ${remedyFor(name, known)}`];
  const type = TYPES[name] ?? "text";
  if (!IS[type](value)) return [`\`${name}\` is ${shown(value)}; it must be ${EXPECTED[type]}`];
  return value === "" && !MAY_BE_EMPTY.has(name) ? [`\`${name}\` is empty; name what is meant`] : [];
}

export const shown = (value: unknown): string => visible(JSON.stringify(value) ?? String(value)).slice(0, 80);

export const remedyFor = (word: string, known: readonly string[]): string =>
  didYouMean(
    nearest(
      word,
      word,
      known.map((name) => ({ name, tail: name })),
    ),
  ) || `there are ${known.join(", ")}`;
