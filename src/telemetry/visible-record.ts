import { visible } from "#core/visible-text.js";
import type { Plain, PlainObject } from "./plain-value.js";

/**
 * A log record in which no name and no text has a control character, but for the line
 * feeds of an error's stack: pino-pretty indents its lines.
 */
export const visibleRecord = (record: PlainObject): PlainObject => {
  const { err, ...rest } = record;
  return { ...shown(rest, false), ...(err !== undefined && { err: shownValue(err, true) }) };
};

function shown(members: PlainObject, stacks: boolean): PlainObject {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [visible(key), member(key, value, stacks)]),
  );
}

function member(key: string, value: Plain, stacks: boolean): Plain {
  if (stacks && key === "stack" && typeof value === "string")
    return value.split("\n").map(visible).join("\n");
  return shownValue(value, stacks);
}

function shownValue(value: Plain, stacks: boolean): Plain {
  if (typeof value === "string") return visible(value);
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => shownValue(item, stacks));
  return shown(value, stacks);
}

// Array.isArray does not narrow a readonly array.
const isList = (value: object): value is readonly Plain[] => Array.isArray(value);
