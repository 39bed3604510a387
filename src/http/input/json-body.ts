// Reads JSON bodies (RFC 8259). `__proto__` keys are refused, because merging them elsewhere would
// pollute prototypes.

import { isAscii, isUtf8 } from "node:buffer";

import type { TSchema } from "@sinclair/typebox";
import { isDeeperThan } from "#core/wire/json-depth.js";
import { latin1Text } from "#core/wire/latin1-text.js";
import { compileSchema } from "#schema/compile/validator.js";
import { Refusal } from "../refusal/refusal.js";

/** In larger bodies the depth is counted before parsing. */
const DEPTH_COUNTED_FROM_BYTES = 4096;
export const MAX_DEPTH = 64;

/** True if JSON from outside is nested deeper than MAX_DEPTH. */
export const isTooDeep = (json: Uint8Array): boolean =>
  json.length > DEPTH_COUNTED_FROM_BYTES && isDeeperThan(MAX_DEPTH, json);

const invalid = (detail: string): Refusal => new Refusal("JSON_INVALID", { detail });

const MISSING = new Refusal("BODY_MISSING");
const BYTE_ORDER_MARK = invalid("It begins with a byte order mark");
const TOO_DEEP = invalid(`It is nested deeper than ${MAX_DEPTH}`);
const PROTOTYPE_KEY = invalid("It has a key '__proto__'");
export const NOT_UTF8 = new Refusal("TEXT_INVALID");

export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return MISSING;
  const text = decodeText(body);
  if (text === undefined) return NOT_UTF8;
  if (text.charCodeAt(0) === 0xfeff) return BYTE_ORDER_MARK;
  // hole: a deep body could exhaust the stack
  if (isTooDeep(body)) return TOO_DEEP;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed((error as Error).message);
  }
  return mayHoldPrototypeKey(text) && holdsPrototypeKey(value) ? PROTOTYPE_KEY : value;
}

/** Reads JSON that fits the schema, or returns a Refusal. Throws SCHEMA_INVALID. */
export function jsonReader(schema: TSchema, owner: string): (body: Buffer) => unknown {
  const { check, errors } = compileSchema(schema, { owner, origin: "json" });
  return (body) => {
    const value = parseJson(body);
    return check(value) || value instanceof Refusal
      ? value
      : new Refusal("INPUT_INVALID", { errors: errors(value), parsed: value });
  };
}

/** The refusal of malformed JSON, without the part of the body that V8 quotes. */
function malformed(message: string): Refusal {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return invalid(`It is malformed at position ${position}`);
  return invalid(message.startsWith("Unexpected end") ? "It ends too early" : "It is malformed");
}

/** Undefined for invalid UTF-8. */
export function decodeText(body: Buffer): string | undefined {
  if (isAscii(body)) return latin1Text(body);
  return isUtf8(body) ? body.toString("utf8") : undefined;
}

// The key may contain escapes.
const mayHoldPrototypeKey = (text: string): boolean => text.includes("__proto__") || text.includes("\\u00");

function holdsPrototypeKey(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  // hole: a body could set a prototype where it is merged
  if (Object.hasOwn(value, "__proto__")) return true;
  return Object.values(value).some(holdsPrototypeKey);
}
