// Formats of log lines. Each converts pino's line, which is JSON with a line feed at the end, to
// the written text.

import { visible } from "#core/wire/visible-text.js";
import { compactLine } from "./compact-line.js";
import type { PlainObject } from "./plain-value.js";
import { prettyLine } from "./pretty-line.js";

export type LineFormat = (line: string) => string;

/** Pino's JSON, with control characters of terminals escaped. */
const json: LineFormat = (line) => (isQuiet(line, 1) ? line : `${visible(line.slice(0, -1))}\n`);

/**
 * The same for several lines at once: each check of a string has a fixed cost above that of its
 * characters. Never throws.
 */
export function jsonLines(lines: readonly string[]): string {
  const text = lines.join("");
  return isQuiet(text, lines.length) ? text : lines.map(json).join("");
}

// Checks the length and single characters: a quarter of the time of a regular expression. JSON
// escapes all other ASCII controls. If the count of line feeds equals the number of lines, no line
// contains another.
const isQuiet = (lines: string, count: number): boolean =>
  Buffer.byteLength(lines) === lines.length &&
  !lines.includes("\u007f") &&
  !lines.includes("\r") &&
  lineFeedsIn(lines) === count;

function lineFeedsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

const compact: LineFormat = (line) => compactLine(JSON.parse(line) as PlainObject);

/** `format` is the configuration's value. `coloured` adds terminal colours. */
export function lineFormat(format: "json" | "pretty" | "compact", coloured: boolean): LineFormat {
  if (format === "json") return json;
  if (format === "compact") return compact;
  return (line) => prettyLine(JSON.parse(line) as PlainObject, coloured);
}
