// From what a run answered to a response: the status and constant headers are
// blocks made once, the body follows from the value.

import type { Serialise } from "#schema/serialiser.js";
import type { Exchange } from "./native/exchange.js";
import { statusBlock } from "./status-block.js";

const NO_CONTENT = statusBlock(204);
const TEXT = statusBlock(200, { "content-type": "text/plain; charset=utf-8" });
const BYTES = statusBlock(200, { "content-type": "application/octet-stream" });
const JSON_BLOCK = statusBlock(200, { "content-type": "application/json" });

/** Writes a value that a run answered: nothing, text, bytes, or else JSON. Throws what the serialiser throws. */
export function sendValue(exchange: Exchange, value: unknown, serialise: Serialise): void {
  if (typeof value === "string") exchange.send(TEXT, value);
  else if (value === undefined) exchange.send(NO_CONTENT, null);
  else if (value instanceof Uint8Array) exchange.send(BYTES, value);
  else exchange.send(JSON_BLOCK, serialise(value));
}

/** For routes without an output schema. */
export function stringify(value: unknown): string {
  const text = JSON.stringify(value);
  // A function or a symbol: JSON has no form for it.
  if (text === undefined)
    throw new TypeError(`A ${typeof value} cannot be answered: return data, text or bytes`);
  return text;
}
