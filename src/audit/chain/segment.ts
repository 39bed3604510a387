// The next checkpoint of a sink: the events since the newest one, verified before they are signed.

import { FrameworkError } from "#core/errors.js";
import { NO_HASH } from "#core/ports/audit-event.js";
import type { AuditSource, KeptCheckpoint } from "#core/ports/audit-sink.js";
import { hashOf } from "../event/unlinked-event.js";
import { type AuditCheckpoint, checkpointHash, parsedCheckpoint } from "./checkpoint.js";
import { leafOf, MerkleRoot } from "./merkle.js";

/** Maximum number of events of a checkpoint: a proof reads all of them. */
const MAX_SEGMENT = 65_536;

export interface NewestCheckpoint {
  readonly checkpoint: AuditCheckpoint;
  readonly hash: string;
}

export type Segment = Pick<
  AuditCheckpoint,
  "number" | "first" | "last" | "head" | "root" | "previous" | "adopted" | "origin"
>;

/** Throws AUDIT_CHAIN_BROKEN if the text is no checkpoint. */
export function requireCheckpoint(shown: string, kept: KeptCheckpoint): NewestCheckpoint {
  const checkpoint = parsedCheckpoint(kept.text);
  if (checkpoint === undefined || checkpoint.number !== kept.number)
    throw broken(shown, `checkpoint ${kept.number} was changed`);
  return { checkpoint, hash: checkpointHash(kept.text) };
}

/** The events after `newest` up to `through`, at most 65 536. Throws AUDIT_CHAIN_BROKEN if they are no chain. */
export async function nextSegment(
  source: AuditSource,
  newest: NewestCheckpoint | undefined,
  through: number,
): Promise<Segment> {
  const first = (newest?.checkpoint.last ?? 0) + 1;
  const tree = new MerkleRoot();
  let head = newest?.checkpoint.head ?? NO_HASH;
  // The hash of its first event names a log that has no name: all processes know it.
  let origin = newest?.checkpoint.origin;
  let last = first - 1;
  for await (const row of source.rows(first)) {
    const { position } = row;
    if (position > through || position - first >= MAX_SEGMENT) break;
    if (position !== last + 1) throw broken(source.shown, `event ${last + 1} is missing`);
    if (!("event" in row)) throw broken(source.shown, `event ${position} was changed: ${row.unreadable}`);
    const { event } = row;
    if (hashOf(event) !== event.hash) throw broken(source.shown, `event ${position} was changed`);
    if (event.prev_hash !== head)
      throw broken(source.shown, `event ${position} does not follow the one before`);
    if (position === 1) origin = event.hash.slice(0, 32);
    tree.add(leafOf(event.hash));
    head = event.hash;
    last = position;
  }
  if (last < Math.min(through, first + MAX_SEGMENT - 1))
    throw broken(source.shown, `event ${last + 1} is missing`);
  const number = (newest?.checkpoint.number ?? 0) + 1;
  const previous = newest?.hash ?? NO_HASH;
  return { ...(origin !== undefined && { origin }), number, first, last, head, root: tree.root(), previous };
}

export const broken = (shown: string, what: string): FrameworkError =>
  new FrameworkError(
    "AUDIT_CHAIN_BROKEN",
    `${shown}: ${what}: nothing behind it is signed; run "framework audit verify"`,
  );
