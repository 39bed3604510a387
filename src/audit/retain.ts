// Retention: archives the oldest closed segments, signs that they are archived, then deletes their
// rows. A later retention continues an interrupted one.

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import { type ArchivedSegment, writeArchive } from "./archive.js";
import { checkpointsOf } from "./chain/checkpoint-chain.js";
import { requireCheckpoint } from "./chain/segment.js";
import { Signer, type SignerOptions } from "./chain/signer.js";
import { isTimestamp } from "./event/timestamp.js";

export interface RetainOptions extends SignerOptions {
  /** Segments that were signed before this timestamp are archived. */
  readonly before: string;
  /** The archive, a file that does not exist. */
  readonly to: string;
}

export interface Retained {
  /** Number of events in the archive; 0 if no segment is old enough: no file is made. */
  readonly archived: number;
  /** Position up to which events are archived. */
  readonly through: number;
}

const BATCH = 1000;

/** Archives whole segments. The newest event stays. */
export async function retainAudit(sink: AuditSink, options: RetainOptions): Promise<Retained> {
  requireKnownOptions("retainAudit", options, ["key", "previousKey", "origin", "before", "to"]);
  const { before, to, ...keys } = options;
  if (!isTimestamp(before))
    throw invalidOption(
      "retainAudit",
      "before is UTC text with microseconds, such as 2026-01-31T12:00:00.000000Z",
    );
  const signer = new Signer(sink, keys);
  const newest = (await signer.newest())?.checkpoint;
  const done = newest?.archived ?? 0;
  const segments: ArchivedSegment[] = [];
  for await (const kept of checkpointsOf(sink.checkpoints)) {
    const { checkpoint } = requireCheckpoint(sink.shown, kept);
    if (checkpoint.timestamp >= before || checkpoint.number > (newest?.number ?? 0)) break;
    if (checkpoint.first > done) segments.push({ kept, checkpoint });
  }
  // The next event links to the newest one.
  const head = (await sink.head())?.position ?? 0;
  while ((segments.at(-1)?.checkpoint.last ?? 0) >= head && segments.length > 0) segments.pop();
  while (segments.length > 0 && isEmpty(segments.at(-1) as ArchivedSegment)) segments.pop();
  const archived = await writeArchive(to, sink, segments);
  const through = segments.at(-1)?.checkpoint.last ?? done;
  if (archived > 0) await signer.archive(through);
  while ((await sink.remove(through, BATCH)) > 0);
  return { archived, through };
}

const isEmpty = ({ checkpoint }: ArchivedSegment): boolean => checkpoint.last < checkpoint.first;
