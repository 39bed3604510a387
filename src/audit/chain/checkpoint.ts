// Signed checkpoints: each covers the events since the previous one by their Merkle root, and holds
// the hash of the previous one. One valid signature therefore covers all earlier checkpoints.

import { createHash } from "node:crypto";

import type { KeptCheckpoint } from "#core/ports/audit-sink.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import type { AuditSigningKey } from "./signing-key.js";

const FORMAT = "framework-audit-checkpoint/1";

/** Shown for a checkpoint without an origin, and given to require that there is none. */
export const NO_ORIGIN = "none";

export interface AuditCheckpoint {
  readonly format: typeof FORMAT;
  /** Name of the log: one key may sign several. Checkpoints of earlier releases have none. */
  readonly origin?: string;
  /** From 1, without a gap. */
  readonly number: number;
  /** Positions of the covered events; `last` is `first - 1` if there are none. */
  readonly first: number;
  readonly last: number;
  /** Hash of the event at `last`. */
  readonly head: string;
  /** Merkle root of the hashes of the events from `first` to `last`. */
  readonly root: string;
  /** Events up to this position are archived and may be missing. */
  readonly archived: number;
  /** Number of its events that were unsigned when the process that signs began: another one had appended them. */
  readonly adopted?: number;
  /** SHA-256 of the text of the previous checkpoint; NO_HASH in the first. */
  readonly previous: string;
  readonly timestamp: string;
  /** Id of the key that signs. */
  readonly key: string;
  /** The first checkpoint of a new key is also signed by the former key. Keys are SPKI in base64. */
  readonly rotation?: { readonly from: string; readonly to: string };
  /** By id of the key, base64url. They sign the canonical JSON of all other members. */
  readonly signatures: { readonly [key: string]: string };
}

export function signedCheckpoint(
  checkpoint: Omit<AuditCheckpoint, "format" | "signatures">,
  keys: readonly AuditSigningKey[],
): KeptCheckpoint {
  const unsigned = { format: FORMAT, ...checkpoint };
  const text = canonicalJson(unsigned as unknown as Json);
  const signatures = Object.fromEntries(keys.map((key) => [key.id, key.sign(text)]));
  return { number: checkpoint.number, text: canonicalJson({ ...unsigned, signatures } as unknown as Json) };
}

/** The text that the signatures cover. */
export function signedText({ signatures: _, ...unsigned }: AuditCheckpoint): string {
  return canonicalJson(unsigned as unknown as Json);
}

/** `previous` of the next checkpoint. */
export const checkpointHash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Undefined if the text is no checkpoint in this release's format. Never throws. */
export function parsedCheckpoint(text: string): AuditCheckpoint | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    // Otherwise texts that differ in white space would be one checkpoint with several hashes.
    return isCheckpoint(parsed) && canonicalJson(parsed as unknown as Json) === text ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export const originOf = ({ origin = NO_ORIGIN }: AuditCheckpoint): string => origin;

const isText = (value: unknown): value is string => typeof value === "string";
const isHash = (value: unknown): boolean => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function isCheckpoint(value: unknown): value is AuditCheckpoint {
  if (typeof value !== "object" || value === null) return false;
  const { format, number, first, last, head, root, archived, previous, ...more } =
    value as Partial<AuditCheckpoint>;
  const { timestamp, key, rotation, signatures, adopted = 0, origin = NO_ORIGIN } = more;
  return (
    format === FORMAT &&
    [number, first, last, archived].every(isCount) &&
    (last as number) >= (first as number) - 1 &&
    (archived as number) <= (last as number) &&
    isText(origin) &&
    isCount(adopted) &&
    adopted <= (last as number) - (first as number) + 1 &&
    [head, root, previous].every(isHash) &&
    [timestamp, key].every(isText) &&
    (rotation === undefined || [rotation?.from, rotation?.to].every(isText)) &&
    typeof signatures === "object" &&
    signatures !== null &&
    Object.values(signatures).every(isText)
  );
}
