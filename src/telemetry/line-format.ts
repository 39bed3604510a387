// How a line is written. Each format is a function from pino's line, which is JSON
// and ends with a line feed, to the text that is written.

import { createRequire } from "node:module";
import type * as PinoPretty from "pino-pretty";

import { visible } from "#core/visible-text.js";
import { compactLine } from "./compact-line.js";
import type { PlainObject } from "./plain-value.js";
import { visibleRecord } from "./visible-record.js";

export type LineFormat = (line: string) => string;

const require = createRequire(import.meta.url);

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
  // Loaded only where it is used: it brings thirteen packages.
  const { prettyFactory } = require("pino-pretty") as typeof PinoPretty;
  const pretty = prettyFactory({
    colorize: coloured,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss.l",
    errorLikeObjectKeys: ["err"],
    // Without a prototype: pino-pretty would call `toString` of its default for a field of that name.
    customPrettifiers: Object.create(null) as Record<string, never>,
  });
  return (line) => pretty(withTexts(visibleRecord(JSON.parse(line) as PlainObject)));
}

/** What pino-pretty writes before the message, by `String`: it throws for an object with a `toString` of its own. */
const BEFORE_MESSAGE = ["name", "caller"];

const withTexts = (record: PlainObject): PlainObject => {
  const objects = BEFORE_MESSAGE.filter((name) => typeof record[name] === "object" && record[name] !== null);
  if (objects.length === 0) return record;
  return { ...record, ...Object.fromEntries(objects.map((name) => [name, JSON.stringify(record[name])])) };
};
