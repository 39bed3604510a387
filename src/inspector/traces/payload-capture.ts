// Captures a run's values by mode: nothing, a hash to compare runs, or a redacted and bounded copy.

import { createHmac, randomBytes } from "node:crypto";

import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Redactor } from "#schema/redaction/redactor.js";
import type { Payload } from "../api/traces.js";

export type CaptureMode = "off" | "hash" | "full";

/** A captured value. The JSON of `full` is one text, whose cost is its length. */
export type Captured =
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "full"; readonly text: string; readonly isCut: boolean; readonly isExact: boolean };

export class PayloadCapture {
  readonly mode: CaptureMode;
  // Secret: a hash under a public key would reveal small values.
  readonly #key: Buffer;

  /** `key` is for tests. */
  constructor(mode: CaptureMode, key: Buffer = randomBytes(32)) {
    this.mode = mode;
    this.#key = key;
  }

  /** Undefined in mode "off". */
  capture(redactor: Redactor, value: unknown, name?: string): Captured | undefined {
    if (this.mode === "off") return undefined;
    const { value: shown, isCut, isExact } = redactor.redact(value, name);
    if (this.mode === "full") return { kind: "full", text: JSON.stringify(shown), isCut, isExact };
    const digest = createHmac("sha256", this.#key).update(canonicalJson(shown)).digest("base64url");
    return { kind: "hash", hash: digest };
  }
}

export const OFF: Payload = Object.freeze({ kind: "off" });

export function payloadOf(captured: Captured | undefined): Payload {
  if (captured === undefined) return OFF;
  if (captured.kind !== "full") return captured;
  return { kind: "full", value: JSON.parse(captured.text), is_cut: captured.isCut };
}

/** Estimated memory in bytes, two per character. */
export const costOf = (captured: Captured | undefined): number => {
  if (captured === undefined) return 0;
  return 64 + 2 * (captured.kind === "hash" ? captured.hash.length : captured.text.length);
};
