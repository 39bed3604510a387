// Values of a run as far as they may be kept: not at all, as a hash by which two runs can
// be compared, or redacted and bounded. A value is copied when it is seen: steps change them.

import { createHmac, randomBytes } from "node:crypto";

import { canonicalJson } from "#core/canonical-json.js";
import { invalidOption } from "#core/invalid-option.js";
import type { Redactor } from "#schema/redactor.js";
import type { Payload } from "../api/traces.js";

export type CaptureMode = "off" | "hash" | "full";

/** A value as it is kept: the JSON of `full` as one text, which costs what it is long. */
export type Captured =
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "full"; readonly text: string; readonly isCut: boolean };

const MODES: readonly CaptureMode[] = ["off", "hash", "full"];

export class PayloadCapture {
  readonly mode: CaptureMode;
  // Of this process alone: without it, whoever sees a hash cannot try small values.
  readonly #key: Buffer;

  /** Throws CONFIG_INVALID. `key` is for tests. */
  constructor(mode: CaptureMode, key: Buffer = randomBytes(32)) {
    if (!MODES.includes(mode)) throw invalidOption("capture_payloads", `use ${MODES.join(", ")}`);
    this.mode = mode;
    this.#key = key;
  }

  /** Undefined where nothing is to be kept. */
  capture(redactor: Redactor, value: unknown, name?: string): Captured | undefined {
    if (this.mode === "off") return undefined;
    const { value: shown, isCut } = redactor.redact(value, name);
    if (this.mode === "full") return { kind: "full", text: JSON.stringify(shown), isCut };
    const digest = createHmac("sha256", this.#key).update(canonicalJson(shown)).digest("base64url");
    return { kind: "hash", hash: digest };
  }
}

export const OFF: Payload = Object.freeze({ kind: "off" });

/** The shape that the API has for it. */
export function payloadOf(captured: Captured | undefined): Payload {
  if (captured === undefined) return OFF;
  if (captured.kind !== "full") return captured;
  return { kind: "full", value: JSON.parse(captured.text), is_cut: captured.isCut };
}

/** Bytes that it takes, more or less: a character of a text may take two. */
export const costOf = (captured: Captured | undefined): number => {
  if (captured === undefined) return 0;
  return 64 + 2 * (captured.kind === "hash" ? captured.hash.length : captured.text.length);
};
