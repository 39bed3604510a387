import { createRequire } from "node:module";
import type * as Re2 from "re2js";

import { FrameworkError } from "#core/errors.js";
import { visible } from "#core/wire/visible-text.js";
import { isCostly, isPlain } from "./pattern-cost.js";
import { forRe2, withoutFlag } from "./printed-pattern.js";

// Loaded at the first pattern that may be slow.
const require = createRequire(import.meta.url);

/** Longer strings fail every pattern: this bounds the time of slow patterns. */
const MAX_INPUT = 10_000;

/** The schema's other constraints on the text. */
interface Bounds {
  readonly flags?: string | undefined;
  /** In code points. */
  readonly maxLength?: number | undefined;
}

/**
 * The check of a schema's pattern. Without `flags` it matches code points if it can. A pattern that
 * is not known to be fast for every text of `maxLength` runs on RE2. Throws for an invalid regular
 * expression, and for one that neither engine can run in time.
 */
export function checkedPattern(
  pattern: string,
  pointer: string,
  { flags, maxLength = MAX_INPUT }: Bounds = {},
): (value: string) => boolean {
  const compiled =
    flags === undefined ? compile(pattern, pointer) : new RegExp(pattern, flags.replace(/[gy]/g, ""));
  const units = /[uv]/.test(compiled.flags) ? maxLength : 2 * maxLength;
  const test = inTime(compiled, pointer, Math.min(units, MAX_INPUT));
  return (value) => value.length <= MAX_INPUT && test(value);
}

/** A record's key pattern as TypeBox runs it: without the flag `u`, on keys of any length. */
export function keyPattern(pattern: string, pointer: string): string {
  const compiled = keysOf(pattern, pointer);
  return compiled.unicode ? withoutFlag(compiled) : compiled.source;
}

/** Assumed length of a key. */
const LONGEST_KEY = 20_000;
const KEY_REMEDY = "rewrite it so that each key matches in one way";

/** TypeBox's pattern for keys of any name. */
const EVERY_KEY = "^(.*)$";

/** Matches the keys of a record. `.` does not match a line end, but such a key is valid. Throws for a slow pattern. */
export function keysOf(pattern: string, pointer: string): RegExp {
  if (pattern === EVERY_KEY) return /^/;
  const compiled = compile(pattern, pointer);
  if (isCostly(compiled, LONGEST_KEY)) throw tooSlow(compiled, pointer, LONGEST_KEY, KEY_REMEDY);
  return compiled;
}

function inTime(compiled: RegExp, pointer: string, maxLength: number): (value: string) => boolean {
  if (!isCostly(compiled, maxLength)) {
    // The engine compiles a pattern at its first two texts, for each width of characters: a long row of
    // optional ones can take a second.
    if (!isPlain(compiled, maxLength)) for (const text of ["", "", "\u0100"]) compiled.test(text);
    return (value) => compiled.test(value);
  }
  const linear = onRe2(compiled, maxLength);
  if (typeof linear === "string") throw tooSlow(compiled, pointer, maxLength, `${linear}; ${REMEDY}`);
  return linear;
}

const INEXPRESSIBLE =
  "RE2, which is linear in the text, cannot express it, as it has no look-around, no backreference and no repetition above 1000";
const TOO_LARGE = "it is too large for RE2, whose time grows with the pattern";

const REMEDY = "rewrite it so that each text matches in one way, or give the string a smaller maxLength";

/** Limit of instructions for the longest text: about 100 ms. */
const MAX_RE2_STEPS = 5_000_000;

// Translated: `\s` and `.` have another meaning in RE2.
function onRe2({ source, flags }: RegExp, maxLength: number): ((value: string) => boolean) | string {
  const { RE2JS } = require("re2js") as typeof Re2;
  try {
    const text = forRe2(new RegExp(source, flags.includes("u") ? flags : `${flags}u`));
    if (text === undefined) return INEXPRESSIBLE;
    const linear = RE2JS.compile(text);
    return linear.programSize() * maxLength > MAX_RE2_STEPS ? TOO_LARGE : (value) => linear.test(value);
  } catch {
    return INEXPRESSIBLE;
  }
}

const tooSlow = ({ source }: RegExp, pointer: string, length: number, remedy: string): FrameworkError =>
  new FrameworkError(
    "SCHEMA_UNSUPPORTED",
    `Schema at '${pointer}': pattern ${source} can take more than a million steps for a text of ${length} characters; ${remedy}`,
  );

// With `u` if the pattern is valid with it, so that `.` matches a code point as in JSON Schema.
function compile(pattern: string, pointer: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    // Invalid with `u`, which forbids needless escapes.
  }
  try {
    return new RegExp(pattern);
  } catch (cause) {
    const message = `Schema at '${pointer}': pattern ${visible(pattern)} is no regular expression`;
    throw new FrameworkError("SCHEMA_INVALID", message, { cause });
  }
}
