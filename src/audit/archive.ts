// Archives: files of JSON lines with the events of closed segments, each followed by its checkpoint.
// An archive can be verified alone, and proves its events.

import { open } from "node:fs/promises";
import { FrameworkError } from "#core/errors.js";
import type { AuditQuery, AuditRow, AuditSource, KeptCheckpoint } from "#core/ports/audit-sink.js";
import type { AuditCheckpoint } from "./chain/checkpoint.js";
import { leafOf, MerkleRoot } from "./chain/merkle.js";
import { broken } from "./chain/segment.js";
import { requireReadable } from "./event/audit-row.js";
import { linesOf } from "./event/lines.js";
import { checkedQuery, matching } from "./event/query-match.js";
import { eventLine, rowIn } from "./sinks/audit-files.js";

const FORMAT = "framework-audit-archive/1";

export interface ArchivedSegment {
  readonly kept: KeptCheckpoint;
  readonly checkpoint: AuditCheckpoint;
}

/** Writes and syncs a new file. Throws AUDIT_CHAIN_BROKEN for a segment that differs from the signed one. */
export async function writeArchive(
  file: string,
  source: AuditSource,
  segments: readonly ArchivedSegment[],
): Promise<number> {
  const [first] = segments;
  if (first === undefined) return 0;
  const handle = await open(file, "wx", 0o600).catch((cause) => {
    throw new FrameworkError("AUDIT_UNAVAILABLE", `${file}: the archive cannot be made: ${cause.message}`, {
      cause,
    });
  });
  let events = 0;
  try {
    const { number } = first.checkpoint;
    await handle.write(
      `${JSON.stringify({ format: FORMAT, position: first.checkpoint.first, checkpoint: number })}\n`,
    );
    for (const { kept, checkpoint } of segments) {
      const root = new MerkleRoot();
      if (checkpoint.last >= checkpoint.first)
        for await (const row of source.rows(checkpoint.first)) {
          if (row.position > checkpoint.last) break;
          const { event } = requireReadable(source.shown, row);
          root.add(leafOf(event.hash));
          await handle.write(`${eventLine(event)}\n`);
          events += 1;
        }
      if (root.root() !== checkpoint.root)
        throw broken(
          source.shown,
          `events ${checkpoint.first} to ${checkpoint.last} are not the signed ones`,
        );
      await handle.write(`${JSON.stringify(kept)}\n`);
    }
    await handle.sync();
    return events;
  } finally {
    await handle.close();
  }
}

/** An archive as a source for `verifyAudit` and `proveEvent`. Throws AUDIT_UNAVAILABLE if the file is no archive. */
export async function openArchive(file: string): Promise<AuditSource> {
  const starts = await startsOf(file);
  if (starts === undefined)
    throw new FrameworkError("AUDIT_UNAVAILABLE", `${file}: it is no archive of an audit log`);
  async function* rows(from = starts?.position ?? 1): AsyncGenerator<AuditRow> {
    for await (const item of itemsOf(file, starts?.position ?? 1))
      if ("position" in item && item.position >= from) yield item;
  }
  const list = async (after: number, limit: number): Promise<readonly KeptCheckpoint[]> => {
    const listed: KeptCheckpoint[] = [];
    for await (const item of itemsOf(file, 1)) {
      if (listed.length >= limit) break;
      if ("number" in item && item.number > after) listed.push(item);
    }
    return listed;
  };
  const last = async <T extends AuditRow | KeptCheckpoint>(
    isOne: (item: AuditRow | KeptCheckpoint) => item is T,
  ): Promise<T | undefined> => {
    let found: T | undefined;
    for await (const item of itemsOf(file, starts.position)) if (isOne(item)) found = item;
    return found;
  };
  return {
    ...{ shown: `archive:${file}`, starts, rows },
    head: () => last((item): item is AuditRow => "position" in item),
    find: async (id) => {
      for await (const row of rows()) if ("event" in row && row.event.id === id) return row;
      return undefined;
    },
    query: (query: AuditQuery = {}) => matching(rows(), checkedQuery(query)),
    checkpoints: {
      ...{ list, newest: () => last((item): item is KeptCheckpoint => "number" in item) },
      put: async () => {
        throw new FrameworkError("AUDIT_UNAVAILABLE", `${file}: an archive is not written again`);
      },
    },
  };
}

async function startsOf(file: string): Promise<AuditSource["starts"]> {
  for await (const { text } of linesOf(file)) {
    try {
      const { format, position, checkpoint } = JSON.parse(text) as Record<string, unknown>;
      if (format === FORMAT && [position, checkpoint].every(Number.isSafeInteger))
        return { position: position as number, checkpoint: checkpoint as number };
    } catch {
      // The caller reports it.
    }
    return undefined;
  }
  return undefined;
}

async function* itemsOf(file: string, first: number): AsyncGenerator<AuditRow | KeptCheckpoint> {
  let position = first;
  let isHead = true;
  for await (const { text } of linesOf(file)) {
    const checkpoint = isHead ? undefined : checkpointIn(text);
    if (checkpoint !== undefined) yield checkpoint;
    else if (!isHead) {
      yield rowIn(position, text);
      position += 1;
    }
    isHead = false;
  }
}

/** A line is an event unless it contains only a checkpoint. */
function checkpointIn(line: string): KeptCheckpoint | undefined {
  if (!line.startsWith('{"number":')) return undefined;
  try {
    const { number, text } = JSON.parse(line) as KeptCheckpoint;
    return JSON.stringify({ number, text }) === line &&
      Number.isSafeInteger(number) &&
      typeof text === "string"
      ? { number, text }
      : undefined;
  } catch {
    return undefined;
  }
}
