import { isUtf8 } from "node:buffer";
import type { Json } from "#core/wire/json-text.js";

/** An object of JSON, and all objects in it, without a prototype. */
export type JsonMembers = Readonly<Record<string, Json>>;

// Deeper than any claim is. JSON.parse itself does not recurse, what reads its result does.
const MAX_DEPTH = 16;
const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** The object that `bytes` are, in UTF-8. Otherwise what is wrong with them. */
export function jsonObjectOf(bytes: Buffer): JsonMembers | string {
  if (!isUtf8(bytes)) return "is not UTF-8";
  return jsonObjectOfText(bytes.toString("utf8"));
}

/**
 * The object that `text` is. Otherwise what is wrong with it. Of two members of one name
 * JSON.parse keeps the last, another program perhaps the first, and whoever can have both signed
 * says two things at once: here both are refused (RFC 7515, section 4; RFC 7519, section 4).
 */
export function jsonObjectOfText(text: string): JsonMembers | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "is not a JSON object";
  const members = settled(value, 1);
  if (typeof members === "string") return members;
  // What was written and what is left, which is exact: names that are escaped are counted too.
  return members === writtenMembers(text) ? (value as JsonMembers) : "has two members of one name";
}

/** Takes the prototypes away and counts the members, its own and those within. Otherwise what is wrong. */
function settled(value: object, depth: number): number | string {
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH}`;
  const names = Object.keys(value);
  const isList = Array.isArray(value);
  let count = isList ? 0 : names.length;
  for (const name of names) {
    // Harmless here, but not where somebody copies it into another object.
    if (name === "__proto__") return "has a member __proto__";
    const member: unknown = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof member !== "object" || member === null) continue;
    const within = settled(member, depth + 1);
    if (typeof within === "string") return within;
    count += within;
  }
  if (!isList) Object.setPrototypeOf(value, null);
  return count;
}

/** How many members valid JSON has: outside of its strings each has one colon. */
function writtenMembers(text: string): number {
  let count = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === COLON) count += 1;
  }
  return count;
}
