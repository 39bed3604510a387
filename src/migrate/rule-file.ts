// Reads a rule file: all of its mistakes at once, each with the number of its rule.

import { readFileSync } from "node:fs";

import { tomlParser } from "#config/toml-parser.js";
import { fileMatch } from "./glob.js";
import { MigrationError, type Rule } from "./rule.js";
import { remedyFor, shown, wrongFields } from "./rule-fields.js";
import { expressionMatches, literalMatches, type Matches, unknownGroups } from "./text-pattern.js";
import { compareVersions, isVersion, minorOf } from "./version.js";

export interface RuleFile {
  /** As messages name it. */
  readonly shown: string;
  /** Undefined where the file names none: it leads from what was asked for to what was asked for. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly rules: readonly Rule[];
}

type Table = Readonly<Record<string, unknown>>;

export function readRuleFile(path: string, name: string): RuleFile {
  const root = parsed(path, name);
  const mistakes: string[] = [];
  for (const key of Object.keys(root))
    if (!["from", "to", "rules"].includes(key))
      mistakes.push(`there is no key ${shown(key)}; ${remedyFor(key, ["from", "to", "rules"])}`);
  const { from, to, rules = [] } = root;
  if ((from === undefined) !== (to === undefined)) mistakes.push("name both `from` and `to`, or neither");
  for (const [key, version] of Object.entries({ from, to }))
    if (version !== undefined && !isVersion(version))
      mistakes.push(`\`${key}\` is ${shown(version)}; it must be a version in quotes, such as "0.30"`);
  if (isVersion(from) && isVersion(to) && compareVersions(minorOf(from), minorOf(to)) >= 0)
    mistakes.push(`\`from\` is ${from} and \`to\` is ${to}: rules lead to a later minor version`);
  if (!Array.isArray(rules))
    throw wrong(name, [...mistakes, "`rules` is no list; write each rule as a table [[rules]]"]);
  const read = rules.map((table: Table, index) => {
    const where = `${name}, rule ${index + 1}${typeof table["kind"] === "string" ? ` (${table["kind"]})` : ""}`;
    const found = wrongFields(table);
    const result = found.length > 0 ? found : ruleOf(table, where);
    if (!Array.isArray(result)) return result as Rule;
    mistakes.push(...result.map((mistake) => `${where.slice(name.length + 2)}: ${mistake}`));
    return undefined;
  });
  if (rules.length === 0 && mistakes.length === 0)
    mistakes.push("there is no rule; write each as a table [[rules]]");
  if (mistakes.length > 0) throw wrong(name, mistakes);
  return {
    shown: name,
    from: from as string | undefined,
    to: to as string | undefined,
    rules: read.filter((rule) => rule !== undefined),
  };
}

function parsed(path: string, name: string): Table {
  const { parse, TomlError } = tomlParser();
  try {
    return parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    if (error instanceof TomlError) {
      const [first] = error.message.replace("Invalid TOML document: ", "").split("\n");
      const remedy = first?.includes("escape")
        ? "write a text that has a \\ in single quotes, 'so'"
        : "mend the line";
      throw new MigrationError(`${name}:${error.line}:${error.column}: this is no TOML: ${first}; ${remedy}`);
    }
    const { code } = error as NodeJS.ErrnoException;
    throw new MigrationError(
      code === "ENOENT"
        ? `there is no file ${name}; --rules names a rule file or a folder of them`
        : `${name} could not be read (${code})`,
    );
  }
}

const wrong = (name: string, mistakes: readonly string[]): MigrationError =>
  new MigrationError(
    mistakes.length === 1
      ? `${name}: ${mistakes[0]}`
      : `${name} has ${mistakes.length} mistakes:\n${mistakes.map((one) => `  ${one}`).join("\n")}`,
  );

const SOURCES = ["**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"];
const DEFAULT_FILES: Readonly<Record<string, readonly string[]>> = {
  dependency: ["package.json"],
  config_key: ["framework.toml"],
};

/** The rule, or what is wrong with it. */
function ruleOf(table: Table, where: string): Rule | readonly string[] {
  const text = (name: string): string | undefined => table[name] as string | undefined;
  const kind = text("kind") as string;
  const globs = [(table["files"] ?? DEFAULT_FILES[kind] ?? SOURCES) as string | readonly string[]].flat();
  const base = { where, globs, isGiven: table["files"] !== undefined };
  try {
    const files = fileMatch(base.globs, base.isGiven);
    switch (kind) {
      case "text_replace":
        return replacing(table, { where, files });
      case "rename_import":
        return renaming(text, { where, files });
      case "warn":
        return warning(table, text, { where, files });
      case "dependency":
        return depending(text, { where, files });
      default:
        return keyed(text, { where, files });
    }
  } catch (error) {
    return [`\`files\` is ${shown(table["files"])}: ${(error as Error).message}`];
  }
}

type Text = (name: string) => string | undefined;
type Base = Pick<Rule, "where" | "files">;

function replacing(table: Table, base: Base): Rule | readonly string[] {
  const matches = matchesOf(table);
  if (typeof matches === "string") return [matches];
  const [pattern, replacement] = [table["pattern"] as string, table["replacement"] as string];
  const unknown = table["regex"] === true ? unknownGroups(pattern, replacement) : [];
  if (unknown.length > 0)
    return [`\`replacement\` names ${unknown.join(", ")}, and \`pattern\` has no such group; $$ writes a $`];
  return { ...base, kind: "text_replace", matches, replacement, count: table["count"] as number | undefined };
}

function matchesOf(table: Table): Matches | string {
  const [pattern, isWord] = [table["pattern"] as string, table["word"] === true];
  if (table["regex"] !== true) return literalMatches(pattern, isWord);
  try {
    return expressionMatches(pattern, isWord);
  } catch (error) {
    return `\`pattern\` is no regular expression of RE2: ${(error as Error).message}; RE2 has no look-around and no back-references`;
  }
}

function renaming(text: Text, base: Base): Rule | readonly string[] {
  const fromModule = text("from_module") as string;
  const [toModule, fromName, toName] = [text("to_module") ?? fromModule, text("from_name"), text("to_name")];
  const mistakes = [
    ...(fromName === undefined && toName !== undefined
      ? ["`to_name` needs `from_name`, the name before"]
      : []),
    ...(toModule === fromModule && (toName ?? fromName) === fromName
      ? ["it changes nothing; give `to_module`, or `from_name` and another `to_name`"]
      : []),
    ...["from_name", "to_name"]
      .filter((field) => text(field) !== undefined && !NAME.test(text(field) as string))
      .map(
        (field) =>
          `\`${field}\` is ${shown(text(field))}; it must be one name that a module exports, without dots`,
      ),
  ];
  return mistakes.length > 0
    ? mistakes
    : { ...base, kind: "rename_import", fromModule, toModule, fromName, toName };
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

function warning(table: Table, text: Text, base: Base): Rule | readonly string[] {
  const told = { message: text("message") as string, link: text("link") };
  const [pattern, fromModule, fromName] = [text("pattern"), text("from_module"), text("from_name")];
  if ((pattern === undefined) === (fromModule === undefined))
    return ["give one of `pattern`, for a text, and `from_module`, for an import"];
  if (fromModule !== undefined) return { ...base, ...told, kind: "warn_import", fromModule, fromName };
  const matches = matchesOf(table);
  return typeof matches === "string" ? [matches] : { ...base, ...told, kind: "warn_text", matches };
}

function depending(text: Text, base: Base): Rule | readonly string[] {
  const fromName = text("from_name") as string;
  const [toName, version] = [text("to_name") ?? fromName, text("version")];
  if (toName === fromName && version === undefined)
    return ["it changes nothing; give `to_name` or `version`"];
  return { ...base, kind: "dependency", fromName, toName, version };
}

function keyed(text: Text, base: Base): Rule | readonly string[] {
  const [from, to] = [text("from_name") as string, text("to_name") as string].map((key) => key.split("."));
  const mistakes = ["from_name", "to_name"].flatMap((field) =>
    /^[\w-]+(\.[\w-]+)*$/.test(text(field) as string)
      ? []
      : [`\`${field}\` is ${shown(text(field))}; it must be a key with its table, such as server.port`],
  );
  if (mistakes.length > 0) return mistakes;
  if (text("from_name") === text("to_name")) return ["it changes nothing; give another `to_name`"];
  return { ...base, kind: "config_key", from: from as string[], to: to as string[] };
}
