// The first place at which two stored values differ, as a JSON pointer (RFC 6901).

import { REDACTED } from "#core/secrets/secret.js";
import type { Json } from "#core/wire/json-text.js";

export interface JsonDifference {
  readonly pointer: string;
  /** Absent where one side has no value there. */
  readonly stored?: Json;
  readonly now?: Json;
}

/**
 * Undefined for equal values. `isMasked`: a value that the export of the log has masked differs from
 * nothing, and neither does what a step made of one: a text that contains the mask, a number that is NaN.
 */
export function jsonDifference(
  stored: Json | undefined,
  now: Json | undefined,
  isMasked: boolean,
  pointer = "",
): JsonDifference | undefined {
  if (stored === now || (isMasked && (hasMask(stored) || hasMask(now) || isNaNumber(now)))) return undefined;
  const keys = keysOf(stored, now, isMasked);
  if (keys === undefined)
    return { pointer, ...(stored !== undefined && { stored }), ...(now !== undefined && { now }) };
  for (const key of keys) {
    const at = `${pointer}/${escaped(key)}`;
    const found = jsonDifference(memberOf(stored, key), memberOf(now, key), isMasked, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Container = { readonly [key: string]: Json };

/** Of two lists or two objects; undefined for values without members in common. */
function keysOf(
  stored: Json | undefined,
  now: Json | undefined,
  isMasked: boolean,
): readonly string[] | undefined {
  if (typeof stored !== "object" || typeof now !== "object" || stored === null || now === null)
    return undefined;
  if (Array.isArray(stored) !== Array.isArray(now)) return undefined;
  // A value that JSON has no form for, such as a date, differs as a whole.
  if (isTagged(stored) || isTagged(now)) {
    const inside = jsonDifference(memberOf(stored, "$"), memberOf(now, "$"), isMasked);
    return inside === undefined ? [] : undefined;
  }
  return [...new Set([...Object.keys(stored), ...Object.keys(now)])];
}

const isTagged = (value: object): boolean => Object.hasOwn(value, "$");

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  Object.hasOwn(value as Container, key) ? (value as Container)[key] : undefined;

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const hasMask = (value: Json | undefined): boolean => typeof value === "string" && value.includes(REDACTED);

const isNaNumber = (value: Json | undefined): boolean => JSON.stringify(value) === '{"$":["number","NaN"]}';
