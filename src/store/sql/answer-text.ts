// Responses under idempotency keys, as the texts that stores keep.

import { isUtf8 } from "node:buffer";

import type { KeptAnswer } from "#core/ports/idempotency-store.js";

interface StoredAnswer {
  readonly status: number;
  readonly headers: string;
  /** Of a body that is UTF-8; any other is in `base64`. */
  readonly text?: string;
  readonly base64?: string;
}

/** A response as the text that stores keep. The body is in the text, too: all of an answer passes the codec. */
export function answerText({ status, headers, body }: KeptAnswer): string {
  const bytes = body && Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const stored: StoredAnswer = {
    ...{ status, headers },
    ...(bytes && (isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString("base64") })),
  };
  return JSON.stringify(stored);
}

export function answerIn(stored: string): KeptAnswer {
  const { status, headers, text, base64 } = JSON.parse(stored) as StoredAnswer;
  const isText = text !== undefined;
  const body = isText ? Buffer.from(text) : base64 === undefined ? base64 : Buffer.from(base64, "base64");
  return { status, headers, body };
}
