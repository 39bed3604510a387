// Values of a run as far as they may be kept: not at all, as a hash by which two runs can
// be compared, or redacted and bounded. A value is copied when it is seen: steps change them.

import { createHmac, randomBytes } from "node:crypto";

import { canonicalJson } from "#core/canonical-json.js";
import { invalidOption } from "#core/invalid-option.js";
import type { HiddenTexts } from "#schema/hidden-texts.js";
import type { Redactor } from "#schema/redactor.js";
import type { Payload } from "../api/traces.js";
import type { SeenErrors } from "./fault-reason.js";

export type CaptureMode = "off" | "hash" | "full";

/** A value as it is kept: the JSON of `full` as one text, which costs what it is long. */
export type Captured =
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "full"; readonly text: string; readonly isCut: boolean }
  | typeof WITHHELD;

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

  /** In the place of a value of which it is not known what is secret in it. Undefined where none is kept. */
  get withheld(): Captured | undefined {
    return this.mode === "off" ? undefined : WITHHELD;
  }

  /** What may be seen of an error of which `hidden` was masked. */
  seenErrors(redactor: Redactor, hidden: HiddenTexts): SeenErrors {
    return { redactor, hidden, showsMessages: this.mode === "full" };
  }

  /** Undefined where nothing is to be kept. `hidden` is what was masked before in the same run. */
  capture(redactor: Redactor, value: unknown, name?: string, hidden?: HiddenTexts): Captured | undefined {
    if (this.mode === "off") return undefined;
    const { value: shown, isCut } = redactor.redact(value, name, hidden);
    if (this.mode === "full") return { kind: "full", text: JSON.stringify(shown), isCut };
    const digest = createHmac("sha256", this.#key).update(canonicalJson(shown)).digest("base64url");
    return { kind: "hash", hash: digest };
  }
}

export const OFF: Payload = Object.freeze({ kind: "off" });
const WITHHELD = Object.freeze({ kind: "withheld" as const });

/** The shape that the API has for it. */
export function payloadOf(captured: Captured | undefined): Payload {
  if (captured === undefined) return OFF;
  if (captured.kind !== "full") return captured;
  return { kind: "full", value: JSON.parse(captured.text), is_cut: captured.isCut };
}

/** Bytes that it takes, more or less: a character of a text may take two. */
export const costOf = (captured: Captured | undefined): number => {
  if (captured === undefined) return 0;
  if (captured.kind === "withheld") return 0;
  return 64 + 2 * (captured.kind === "hash" ? captured.hash.length : captured.text.length);
};
