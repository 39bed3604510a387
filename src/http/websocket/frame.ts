// Writes values as frames: text and bytes verbatim, data as JSON.

import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import { Html } from "#core/wire/html.js";
import type { Serialise } from "#schema/compile/serialiser.js";
import { asData, isPlain } from "../answer/answer.js";

/** A text frame for a string, else a binary frame. Throws errors of the serialiser. */
export function frameOf(value: unknown, serialise: Serialise): string | Uint8Array {
  if (typeof value === "string") return wellFormed(value);
  return isPlain(value) ? serialise(value) : frameOfInstance(value, serialise);
}

function frameOfInstance(value: unknown, serialise: Serialise): string | Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Html) return wellFormed(value.text);
  return serialise(asData(value));
}

// Methods of Node.js 20, declared in the ES2024 library only.
interface CheckedText {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** Replaces lone surrogates: the engine would write invalid UTF-8, and peers would close the connection. */
function wellFormed(text: string): string {
  const checked = text as unknown as CheckedText;
  return checked.isWellFormed() ? text : checked.toWellFormed();
}

/** The body of a reply, because a message has no status or headers. */
export const messageOf = (answer: unknown): unknown => (answer instanceof Reply ? answer.body : answer);

export const problemIn = (message: unknown): ProblemDetail | undefined =>
  message instanceof ProblemDetail ? message : undefined;

const MAX_REASON_BYTES = 123;

/** The reason, truncated to a close frame (RFC 6455, section 5.5) between characters. */
export function closeReason(given: string): string {
  const reason = wellFormed(given);
  if (reason.length * 3 <= MAX_REASON_BYTES) return reason;
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return reason;
  let end = MAX_REASON_BYTES;
  // Continuation bytes start with the bits 10.
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/** True for codes of RFC 6455, section 7.4, and its registry. */
export const isCloseCode = (code: number): boolean =>
  Number.isInteger(code) &&
  ((code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999));
