import { isUtf8 } from "node:buffer";
import { isDeeperThan } from "#core/wire/json-depth.js";
import type { Json } from "#core/wire/json-text.js";

/** A JSON object. It and all objects in it have no prototype. */
export type JsonMembers = Readonly<Record<string, Json>>;

// Deeper than any claim. JSON.parse does not recurse; readers of its result do.
const MAX_DEPTH = 16;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH}`;
const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** Parses an object from UTF-8 bytes. Returns a text if they are invalid. */
export function jsonObjectOf(bytes: Buffer): JsonMembers | string {
  if (!isUtf8(bytes)) return "is not UTF-8";
  if (isDeeperThan(MAX_DEPTH, bytes)) return TOO_DEEP;
  return jsonObjectOfText(bytes.toString("utf8"));
}

/**
 * Parses an object. Returns a text if it is invalid. Duplicate names are refused (RFC 7515, section
 * 4; RFC 7519, section 4): JSON.parse keeps the last member and other programs may keep the first,
 * so that one signed text would have two meanings.
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
  // Members in the text against members in the result. Exact: escaped names are counted too.
  // hole: of two members of one name another reader may take the other
  return members === writtenMembers(text) ? (value as JsonMembers) : "has two members of one name";
}

/** Removes the prototypes and counts the members, nested ones included. Returns a text if invalid. */
function settled(value: object, depth: number): number | string {
  if (depth > MAX_DEPTH) return TOO_DEEP;
  const names = Object.keys(value);
  const isList = Array.isArray(value);
  let count = isList ? 0 : names.length;
  for (const name of names) {
    // Harmless here, but dangerous when copied into an ordinary object.
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

/** Number of members of valid JSON: each has one colon outside of strings. */
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
