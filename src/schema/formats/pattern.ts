import { createRequire } from "node:module";
import type * as Re2 from "re2js";

import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { danger } from "./dangerous-pattern.js";
import { isCostly } from "./pattern-cost.js";
import { forRe2, withoutFlag } from "./printed-pattern.js";

// Loaded at the first pattern whose time grows with the square of the text.
const require = createRequire(import.meta.url);

/** Longer strings fail every pattern: this bounds what a slow pattern can cost. */
const MAX_INPUT = 10_000;

/** What else a schema says of the text. */
interface Bounds {
  readonly flags?: string | undefined;
  /** In code points. */
  readonly maxLength?: number | undefined;
}

/**
 * The test of a schema's pattern. Without `flags` it sees code points where it can. One
 * whose time grows with the square of the text, or faster, runs on RE2 where texts can be
 * long. Throws where it is no regular expression, or where neither engine would be done in
 * time.
 */
export function checkedPattern(
  pattern: string,
  pointer: string,
  { flags, maxLength = MAX_INPUT }: Bounds = {},
): (value: string) => boolean {
  const compiled =
    flags === undefined ? compile(pattern, pointer) : new RegExp(pattern, flags.replace(/[gy]/g, ""));
  const test = inTime(compiled, pointer, Math.min(maxLength, MAX_INPUT));
  return (value) => value.length <= MAX_INPUT && test(value);
}

/** A record's pattern of keys as TypeBox runs it: without the flag `u`, on keys of any length. */
export function keyPattern(pattern: string, pointer: string): string {
  const compiled = keysOf(pattern, pointer);
  const why = exponential(compiled) ?? (isCostly(compiled, LONGEST_KEY) ? SQUARE : undefined);
  if (why !== undefined) throw tooSlow(compiled, pointer, why);
  return compiled.unicode ? withoutFlag(compiled) : compiled.source;
}

/** Of these no square is let pass. */
const LONGEST_KEY = 100_000;

/** How TypeBox writes that every key is allowed. */
const EVERY_KEY = "^(.*)$";

/** What keys of a record match. `.` is no end of a line, and such a key is one too. */
export const keysOf = (pattern: string, pointer: string): RegExp =>
  pattern === EVERY_KEY ? /^/ : compile(pattern, pointer);

function exponential(compiled: RegExp): string | undefined {
  const why = danger(compiled);
  return why && `it can take exponential time: ${why}`;
}

const SQUARE = "its loops share a text in too many ways";

function inTime(compiled: RegExp, pointer: string, maxLength: number): (value: string) => boolean {
  const why = exponential(compiled);
  if (why !== undefined) throw tooSlow(compiled, pointer, why);
  if (!isCostly(compiled, maxLength)) return (value) => compiled.test(value);
  const linear = onRe2(compiled);
  if (linear === undefined)
    throw tooSlow(compiled, pointer, `${SQUARE}, and RE2, which tries all at once, cannot express it`);
  return linear;
}

// In its own words: `\s` and `.` are other characters to it.
function onRe2({ source, flags }: RegExp): ((value: string) => boolean) | undefined {
  const { RE2JS } = require("re2js") as typeof Re2;
  try {
    const text = forRe2(new RegExp(source, flags.includes("u") ? flags : `${flags}u`));
    const linear = text === undefined ? undefined : RE2JS.compile(text);
    return linear && ((value) => linear.test(value));
  } catch {
    return undefined;
  }
}

const tooSlow = ({ source }: RegExp, pointer: string, why: string): FrameworkError =>
  new FrameworkError(
    "SCHEMA_UNSUPPORTED",
    `Schema at '${pointer}': pattern ${source} can take too much time, because ${why}; rewrite it so that each text matches in one way, or give the string a maxLength`,
  );

// With `u` where the pattern allows it, so that `.` is a code point as JSON Schema says.
function compile(pattern: string, pointer: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Not valid with `u`, which forbids escapes that mean nothing.
  }
  try {
    return new RegExp(pattern);
  } catch (cause) {
    const message = `Schema at '${pointer}': pattern ${visible(pattern)} is no regular expression`;
    throw new FrameworkError("SCHEMA_INVALID", message, { cause });
  }
}
