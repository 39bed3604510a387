// Finds the places of a literal text or of a regular expression. RE2 runs in time that is
// linear in the text, whatever the expression.

import { createRequire } from "node:module";
import type * as Re2 from "re2js";

const require = createRequire(import.meta.url);

export interface Match {
  readonly start: number;
  readonly end: number;
  /** The replacement for this match. */
  readonly expand: (replacement: string) => string;
}

export type Matches = (text: string) => readonly Match[];

/** Places of a text; with `isWord`, not inside a longer word. */
export const literalMatches =
  (pattern: string, isWord: boolean): Matches =>
  (text) => {
    const sought = withEnds(pattern, text);
    const found: Match[] = [];
    for (let at = text.indexOf(sought); at >= 0; ) {
      const end = at + sought.length;
      const isFound = !isWord || isWhole(text, at, end);
      if (isFound) found.push({ start: at, end, expand: (replacement) => withEnds(replacement, text) });
      at = text.indexOf(sought, isFound ? end : at + 1);
    }
    return found;
  };

/** Places of an RE2 expression that are not empty. Throws an error of RE2 for one that it does not know. */
export function expressionMatches(pattern: string, isWord: boolean): Matches {
  const { RE2JS } = require("re2js") as typeof Re2;
  const compiled = RE2JS.compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    const found: Match[] = [];
    while (matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (start === end || (isWord && !isWhole(text, start, end))) continue;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? "");
      const named = new Map(
        Object.entries(compiled.namedGroups()).map(([name, index]) => [name, groups[index] ?? ""]),
      );
      found.push({
        start,
        end,
        expand: (replacement) => withEnds(expanded(replacement, groups, named), text),
      });
    }
    return found;
  };
}

/** The groups that a replacement names and an expression does not have. */
export function unknownGroups(pattern: string, replacement: string): readonly string[] {
  const { RE2JS } = require("re2js") as typeof Re2;
  const compiled = RE2JS.compile(pattern);
  return [...replacement.matchAll(GROUP)].flatMap(([whole, number, name]) =>
    (number !== undefined && Number(number) > compiled.groupCount()) ||
    (name !== undefined && !Object.hasOwn(compiled.namedGroups(), name))
      ? [whole]
      : [],
  );
}

const GROUP = /\$(?:\$|&|(\d)|<(\w+)>)/g;

const expanded = (
  replacement: string,
  groups: readonly string[],
  named: ReadonlyMap<string, string>,
): string =>
  replacement.replace(GROUP, (whole, number: string | undefined, name: string | undefined) => {
    if (whole === "$$") return "$";
    if (name !== undefined) return named.get(name) ?? "";
    return groups[Number(number ?? 0)] ?? "";
  });

// A rule file has line feeds; a source may have CRLF.
const withEnds = (wanted: string, text: string): string =>
  wanted.includes("\n") && text.includes("\r\n") ? wanted.replace(/\r?\n/g, "\r\n") : wanted;

const WORD = /[\p{L}\p{M}\p{N}_$]/u;

/** Whether no end of a match is between two characters of one word. */
const isWhole = (text: string, start: number, end: number): boolean =>
  !(isWordAt(text, start) && isWordBefore(text, start)) && !(isWordAt(text, end) && isWordBefore(text, end));

const isWordAt = (text: string, at: number): boolean =>
  at < text.length && WORD.test(String.fromCodePoint(text.codePointAt(at) as number));

function isWordBefore(text: string, at: number): boolean {
  const isPair = at > 1 && /[\udc00-\udfff]/.test(text[at - 1] as string);
  return at > 0 && isWordAt(text, at - (isPair ? 2 : 1));
}
