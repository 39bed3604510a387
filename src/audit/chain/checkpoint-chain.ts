// Verifies the checkpoints of a log alone: numbers, links, keys and signatures.
//
//   AU1. A key is trusted if it was given, or if a checkpoint signed by a trusted key rotates to it
//        or from it. After a rotation the old key's signatures are refused.

import { NO_HASH } from "#core/ports/audit-event.js";
import type { AuditCheckpoints, KeptCheckpoint } from "#core/ports/audit-sink.js";
import {
  type AuditCheckpoint,
  checkpointHash,
  NO_ORIGIN,
  parsedCheckpoint,
  signedText,
} from "./checkpoint.js";
import { type AuditPublicKey, isSignedBy, publicKeyIn } from "./signing-key.js";
import type { Failures } from "./verification.js";

const PAGE = 200;
/** Of events that were signed late: those that are named. */
const MAX_RANGES = 10;

export async function* checkpointsOf(checkpoints: AuditCheckpoints): AsyncGenerator<KeptCheckpoint> {
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const page = await checkpoints.list(after, PAGE);
    yield* page;
    const last = page.at(-1)?.number;
    if (page.length < PAGE || last === undefined || last <= after || !Number.isSafeInteger(last)) return;
    after = last;
  }
}

export interface CheckpointExpectations {
  readonly anchoredNumber?: number | undefined;
  /** Number of the first. */
  readonly starts?: number;
  /** Name of the log; NO_ORIGIN if it has none. */
  readonly origin?: string | undefined;
}

export interface VerifiedCheckpoints {
  readonly count: number;
  readonly newest: AuditCheckpoint | undefined;
  /** Name of the log; NO_ORIGIN if it has none. */
  readonly origin: string;
  /** Number of events that were signed late, and the first of their checkpoints. */
  readonly adopted: { readonly events: number; readonly ranges: readonly string[] };
  /** Text of the checkpoint with the number of the anchored one. */
  readonly anchored: string | undefined;
}

/** `keys` is undefined to skip signatures. Holds one page of checkpoints. */
export async function verifyCheckpoints(
  checkpoints: AuditCheckpoints,
  keys: readonly AuditPublicKey[] | undefined,
  failures: Failures,
  { anchoredNumber, starts = 1, origin }: CheckpointExpectations,
): Promise<VerifiedCheckpoints> {
  const trust = keys && new Trust(await withRotations(checkpoints, keys));
  let count = 0;
  let adopted = 0;
  const ranges: string[] = [];
  let newest: AuditCheckpoint | undefined;
  let named: string | undefined;
  // The signature of a part's first checkpoint covers the log before it.
  let previous = starts === 1 ? NO_HASH : undefined;
  let anchored: string | undefined;
  for await (const kept of checkpointsOf(checkpoints)) {
    const where = { checkpoint: kept.number };
    const fail = (message: string): void =>
      failures.add("checkpoint", `checkpoint ${kept.number} ${message}`, where);
    count += 1;
    if (kept.number === anchoredNumber) anchored = kept.text;
    const expected = (newest?.number ?? starts - 1) + 1;
    const checkpoint = parsedCheckpoint(kept.text);
    if (checkpoint === undefined) {
      fail("is none: its text was changed");
      continue;
    }
    if (checkpoint.number !== kept.number) fail(`says that it is number ${checkpoint.number}`);
    if (kept.number > expected)
      fail(`does not follow: from ${expected} on checkpoints are missing or were changed`);
    else if (kept.number < expected) fail("has a number that no checkpoint has");
    else if (checkpoint.previous !== previous)
      fail("does not follow the one before: one of the two was changed");
    else if (previous !== undefined && checkpoint.first !== (newest?.last ?? 0) + 1)
      fail("does not begin where the one before ends");
    else if (checkpoint.archived < (newest?.archived ?? 0))
      fail("says that fewer events are archived than the one before");
    // Without a name it has that of the one before, whose hash it holds: a process of an earlier release
    // signs such ones beside those of this release.
    if (named !== undefined && checkpoint.origin !== undefined && checkpoint.origin !== named)
      fail(`is of the log '${checkpoint.origin}', the one before of '${named}'`);
    named = checkpoint.origin ?? named;
    if (origin !== undefined && named !== undefined && named !== origin)
      fail(`is of the log '${named}', not of '${origin}'`);
    const wrong = trust?.wrongIn(checkpoint);
    if (wrong !== undefined) failures.add("signature", `checkpoint ${kept.number} ${wrong}`, where);
    adopted += checkpoint.adopted ?? 0;
    if (checkpoint.adopted !== undefined && ranges.length < MAX_RANGES)
      ranges.push(`${checkpoint.first} to ${checkpoint.last} by checkpoint ${checkpoint.number}`);
    newest = checkpoint;
    previous = checkpointHash(kept.text);
  }
  if (origin !== undefined && origin !== NO_ORIGIN && newest !== undefined && named === undefined)
    failures.add("checkpoint", `checkpoint ${newest.number} names no log, where '${origin}' is expected`, {
      checkpoint: newest.number,
    });
  return { count, newest, origin: named ?? NO_ORIGIN, adopted: { events: adopted, ranges }, anchored };
}

/** Keys reached by rotations, also backwards: a later checkpoint covers earlier ones. */
async function withRotations(
  checkpoints: AuditCheckpoints,
  given: readonly AuditPublicKey[],
): Promise<ReadonlyMap<string, AuditPublicKey>> {
  const trusted = new Map(given.map((key) => [key.id, key]));
  const rotations: (readonly [AuditPublicKey, AuditPublicKey])[] = [];
  for await (const { text } of checkpointsOf(checkpoints)) {
    const checkpoint = parsedCheckpoint(text);
    if (checkpoint?.rotation === undefined) continue;
    const [from, to] = [publicKeyIn(checkpoint.rotation.from), publicKeyIn(checkpoint.rotation.to)];
    if (from === undefined || to === undefined) continue;
    // Both keys must sign it: otherwise any key could claim a rotation from a trusted one.
    if ([from, to].every((key) => isGood(checkpoint, key))) rotations.push([from, to]);
  }
  for (const [from, to] of rotations) if (trusted.has(from.id)) trusted.set(to.id, to);
  for (const [from, to] of rotations.toReversed()) if (trusted.has(to.id)) trusted.set(from.id, from);
  return trusted;
}

function isGood(checkpoint: AuditCheckpoint, key: AuditPublicKey): boolean {
  const signature = checkpoint.signatures[key.id];
  return signature !== undefined && isSignedBy(key, signedText(checkpoint), signature);
}

class Trust {
  readonly #keys: ReadonlyMap<string, AuditPublicKey>;
  readonly #retired = new Set<string>();
  #signer: string | undefined;

  constructor(keys: ReadonlyMap<string, AuditPublicKey>) {
    this.#keys = keys;
  }

  /** Why a checkpoint is not to be trusted. */
  wrongIn(checkpoint: AuditCheckpoint): string | undefined {
    const { key: id, rotation } = checkpoint;
    const former = this.#signer;
    this.#signer = id;
    if (this.#retired.has(id)) return `is signed by the key ${id}, which was replaced before`;
    const key = this.#keys.get(id);
    if (key === undefined) return `is signed by the key ${id}, which is none of the given ones`;
    if (!isGood(checkpoint, key)) return `has a wrong signature of the key ${id}`;
    if (former === undefined || former === id) return undefined;
    this.#retired.add(former);
    const from = rotation && publicKeyIn(rotation.from);
    // A lost key cannot sign: both keys must then be given.
    if (from === undefined) return undefined;
    if (from.id !== former || !isGood(checkpoint, from))
      return `replaces the key ${former} without its signature`;
    return undefined;
  }
}
