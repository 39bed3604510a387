// Renames keys of framework.toml. Comments, order and values stay.

import { tomlParser } from "#config/toml-parser.js";
import { tomlKeys, type WrittenKey } from "#config/toml-places.js";
import { type Edit, lineEnd, lineStart, withEdits } from "./edits.js";
import { type Applied, type ConfigKey, LeftAlone } from "./rule.js";

export function renameConfigKey(text: string, { from, to }: ConfigKey): Applied {
  if (!text.includes(from.at(-1) as string)) return { text, notes: [] };
  parse(text, "it is no TOML");
  const keys = tomlKeys(text);
  // A key may be of one profile alone: [profile.staging.server].
  const profiles = new Set(keys.flatMap(({ path }) => (path[0] === "profile" && path[1] ? [path[1]] : [])));
  let result = text;
  for (const table of [[], ...[...profiles].map((name) => ["profile", name])])
    result = renamed(result, [...table, ...from], [...table, ...to]);
  if (result !== text) parse(result, `${to.join(".")} would stand in it beside what it has already`);
  return { text: result, notes: [] };
}

function parse(text: string, otherwise: string): void {
  const { parse: read, TomlError } = tomlParser();
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new LeftAlone(`${otherwise} (line ${error.line}): mend it, and migrate again`);
  }
}

type Path = readonly string[];

function renamed(text: string, from: Path, to: Path): string {
  const keys = tomlKeys(text);
  const named = keys.filter(
    ({ path, parts }) => startsWith(path, from) && from.length > path.length - parts.length,
  );
  if (named.length === 0) return text;
  if (keys.some(({ path }) => startsWith(path, to)))
    throw new LeftAlone(`it has both ${from.join(".")} and ${to.join(".")}: remove one`);
  if (isSibling(from, to))
    return withEdits(
      text,
      named.map((key) => lastPart(key, from, to)),
    );
  const moved = named.filter(({ kind, path }) => kind === "pair" && path.length === from.length);
  if (moved.length !== named.length)
    throw new LeftAlone(`${from.join(".")} is a table: move it to ${to.join(".")} by hand`);
  return moved.reduce((result, key) => moveKey(result, key, to), text);
}

const startsWith = (path: Path, start: Path): boolean => start.every((part, i) => path[i] === part);

const isSibling = (from: Path, to: Path): boolean =>
  from.length === to.length && startsWith(to, from.slice(0, -1));

function lastPart({ path, parts }: WrittenKey, from: Path, to: Path): Edit {
  const part = parts[from.length - 1 - (path.length - parts.length)] as WrittenKey["parts"][number];
  return { ...part, text: to.at(-1) as string };
}

/** Moves a line, and the comments right above it, to another table. */
function moveKey(text: string, key: WrittenKey, to: Path): string {
  const own = key.path.slice(0, key.path.length - key.parts.length);
  const keyEnd = (key.parts.at(-1) as { readonly end: number }).end;
  // A key with dots, or one above all tables, can name the other table where it stands.
  if (startsWith(to, own) && key.parts.length > 1)
    return withEdits(text, [{ start: key.start, end: keyEnd, text: written(to.slice(own.length)) }]);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  let start = lineStart(text, key.start);
  while (start > 0 && /^[ \t]*#/.test(text.slice(lineStart(text, start - 1), start)))
    start = lineStart(text, start - 1);
  const end = lineEnd(text, key.end);
  const block = text.slice(start, key.start) + (to.at(-1) as string) + text.slice(keyEnd, end);
  const line = block.endsWith("\n") ? block : `${block}${eol}`;
  const at = endOfTable(text, to.slice(0, -1));
  const removed = { start, end, text: "" };
  if (at !== undefined)
    return withEdits(text, [removed, { start: at, end: at, text: withBreak(text, at, eol) + line }]);
  const rest = withEdits(text, [removed]);
  return `${rest}${withBreak(rest, rest.length, eol)}${eol}[${written(to.slice(0, -1))}]${eol}${line}`;
}

/** Names of profiles are not always bare keys. */
const written = (path: Path): string =>
  path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join(".");

const withBreak = (text: string, at: number, eol: string): string =>
  at === 0 || text[at - 1] === "\n" ? "" : eol;

/** Behind the last line of a table that has a header. */
function endOfTable(text: string, table: Path): number | undefined {
  const keys = tomlKeys(text).toSorted((a, b) => a.start - b.start);
  const header = keys.findIndex(({ kind, path }) => kind === "header" && path.join(".") === table.join("."));
  if (header < 0) return undefined;
  const next = keys.findIndex(({ kind }, i) => i > header && kind === "header");
  const last = keys
    .slice(header, next < 0 ? undefined : next)
    .filter(({ kind }) => kind !== "inline")
    .at(-1);
  return lineEnd(text, (last as WrittenKey).end);
}
