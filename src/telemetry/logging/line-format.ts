// How a line is written. Each format is a function from pino's line, which is JSON
// and ends with a line feed, to the text that is written.

import { visible } from "#core/wire/visible-text.js";
import { compactLine } from "./compact-line.js";
import type { PlainObject } from "./plain-value.js";
import { prettyLine } from "./pretty-line.js";

export type LineFormat = (line: string) => string;

/** JSON as pino writes it, with what a terminal may act on escaped. */
const json: LineFormat = (line) => (isQuiet(line, 1) ? line : `${visible(line.slice(0, -1))}\n`);

/** The same of several, looked at together: each look at a text costs more than the characters that it sees. Throws nothing. */
export function jsonLines(lines: readonly string[]): string {
  const text = lines.join("");
  return isQuiet(text, lines.length) ? text : lines.map(json).join("");
}

// Looked for by length and by single characters, which takes a quarter of the time of an
// expression. JSON has escaped the other controls that ASCII has. Each line ends with a
// line feed: where there are as many as lines, no other is among them.
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

/** `format` as in the configuration. `coloured`: for a terminal. */
export function lineFormat(format: "json" | "pretty" | "compact", coloured: boolean): LineFormat {
  if (format === "json") return json;
  if (format === "compact") return compact;
  return (line) => prettyLine(JSON.parse(line) as PlainObject, coloured);
}
