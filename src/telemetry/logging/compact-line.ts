import { visible } from "#core/wire/visible-text.js";
import type { Plain, PlainObject } from "./plain-value.js";

export const LEVELS: ReadonlyMap<Plain | undefined, string> = new Map([
  [10, "TRACE"],
  [20, "DEBUG"],
  [30, "INFO "],
  [40, "WARN "],
  [50, "ERROR"],
  [60, "FATAL"],
]);

/** One short line: time, level, module, message, and fields as `name=value`. Stacks are omitted. */
export function compactLine(record: PlainObject): string {
  const { level, time, module, msg, ...fields } = record;
  const head = [clock(Number(time)), LEVELS.get(level) ?? String(level)];
  if (module !== undefined) head.push(`${shown(module)}:`);
  if (msg !== undefined) head.push(message(String(msg)));
  const rest = Object.entries(fields).map(([name, value]) => `${shown(name)}=${fieldText(name, value)}`);
  return `${[...head, ...rest].join(" ")}\n`;
}

/** In the local time zone. */
export function clock(time: number): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

/** Quoted if it contains "=", which would read as a field. */
const message = (text: string): string => visible(text.includes("=") ? JSON.stringify(text) : text);

const BARE = /^[\w.:/@+-]+$/;

const shown = (value: Plain): string =>
  typeof value === "string" && BARE.test(value) ? value : visible(JSON.stringify(value));

const fieldText = (name: string, value: Plain): string =>
  name === "err" && isRecord(value) ? shown(errorText(value)) : shown(value);

/** An error with its causes: "Error: outer, because TypeError: inner". */
function errorText({ type, message, code, cause }: PlainObject): string {
  const own = [
    `${textOf(type)}: ${textOf(message)}`,
    ...(code === undefined ? [] : [`(${textOf(code)})`]),
  ].join(" ");
  if (cause === undefined) return own;
  return `${own}, because ${isRecord(cause) ? errorText(cause) : textOf(cause)}`;
}

/** A logged error may be any value, whose own `toString` could throw. */
export const textOf = (value: Plain | undefined): string =>
  typeof value === "string" ? value : String(JSON.stringify(value));

export const isRecord = (value: Plain | undefined): value is PlainObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
