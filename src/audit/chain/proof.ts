// Inclusion proofs: an event, its path to the Merkle root of a checkpoint, and that checkpoint. To
// check one, only the public key is needed: docs/audit.md.

import { FrameworkError } from "#core/errors.js";
import type { AuditEvent } from "#core/ports/audit-event.js";
import type { AuditSource } from "#core/ports/audit-sink.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import { requireReadable } from "../event/audit-row.js";
import { hashOf } from "../event/unlinked-event.js";
import { type AuditCheckpoint, originOf, parsedCheckpoint, signedText } from "./checkpoint.js";
import { checkpointsOf } from "./checkpoint-chain.js";
import { leafOf, pathOf, rootAlong } from "./merkle.js";
import { type AuditPublicKey, isSignedBy } from "./signing-key.js";

const FORMAT = "framework-audit-proof/1";

export interface AuditProof {
  readonly format: typeof FORMAT;
  readonly event: AuditEvent;
  /** Position of the event in the chain. */
  readonly position: number;
  /** Sibling hashes on the path to the root, the lowest first (RFC 9162, section 2.1.3.2). */
  readonly path: readonly string[];
  readonly checkpoint: AuditCheckpoint;
}

/** Undefined for an id that is not in the log, or is not covered by a checkpoint yet. */
export async function proveEvent(source: AuditSource, id: string): Promise<AuditProof | undefined> {
  const found = await source.find(id);
  if (found === undefined) return undefined;
  const { position, event } = requireReadable(source.shown, found);
  for await (const { text } of checkpointsOf(source.checkpoints)) {
    const checkpoint = parsedCheckpoint(text);
    if (checkpoint === undefined || checkpoint.last < position) continue;
    const leaves = await leavesOf(source, checkpoint);
    const proof = {
      format: FORMAT,
      event,
      position,
      path: pathOf(leaves, position - checkpoint.first),
      checkpoint,
    } as const;
    const wrong = wrongInProof(proof);
    if (wrong === undefined) return proof;
    throw new FrameworkError(
      "AUDIT_CHAIN_BROKEN",
      `${source.shown}: event ${position} cannot be proved: ${wrong}; run "framework audit verify"`,
    );
  }
  return undefined;
}

/** Why a proof is invalid; undefined for a valid one. `origin` is the name of its log, "none" if it has none. Never throws. */
export function wrongInProof(
  proof: unknown,
  keys?: readonly AuditPublicKey[],
  { origin }: { readonly origin?: string } = {},
): string | undefined {
  try {
    const fault = wrong(proof as AuditProof, keys);
    if (fault !== undefined || origin === undefined) return fault;
    const named = originOf((proof as AuditProof).checkpoint);
    return named === origin ? undefined : `its checkpoint is of the log '${named}', not of '${origin}'`;
  } catch {
    return "it is no proof of the form framework-audit-proof/1";
  }
}

function wrong(
  { format, event, position, path, checkpoint: given }: AuditProof,
  keys?: readonly AuditPublicKey[],
): string | undefined {
  if (format !== FORMAT) return "it is no proof of the form framework-audit-proof/1";
  const checkpoint = parsedCheckpoint(canonicalJson(given as unknown as Json));
  if (checkpoint === undefined) return "its checkpoint is none";
  if (hashOf(event) !== event.hash) return "its event has not the hash that it says";
  const { first, last, root, number } = checkpoint;
  if (!Number.isSafeInteger(position) || position < first || position > last)
    return `checkpoint ${number} does not cover position ${position}`;
  if (
    !path.every((hash) => /^[0-9a-f]{64}$/.test(hash)) ||
    rootAlong(leafOf(event.hash), position - first, last - first + 1, path) !== root
  )
    return `its event is not one that checkpoint ${number} covers at position ${position}`;
  if (keys === undefined) return undefined;
  const key = keys.find(({ id }) => id === checkpoint.key);
  if (key === undefined)
    return `checkpoint ${number} is signed by the key ${checkpoint.key}, which is none of the given ones`;
  return isSignedBy(key, signedText(checkpoint), checkpoint.signatures[key.id] ?? "")
    ? undefined
    : `the signature of checkpoint ${number} is wrong`;
}

async function leavesOf(source: AuditSource, { first, last }: AuditCheckpoint): Promise<readonly string[]> {
  const leaves: string[] = [];
  for await (const row of source.rows(first)) {
    if (row.position > last) break;
    leaves.push(leafOf(requireReadable(source.shown, row).event.hash));
  }
  return leaves;
}
