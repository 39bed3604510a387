// The files of a file sink: `audit-000001.jsonl` and so on. The first line of each holds the position
// of its first event and the previous hash. Each other line is an event.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { AuditEvent } from "#core/ports/audit-event.js";
import type { AuditRow } from "#core/ports/audit-sink.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import { readRow } from "../event/audit-row.js";
import { linesOf } from "../event/lines.js";

const FORMAT = "framework-audit-file/1";

export interface FileHead {
  /** Position of the first event. */
  readonly first: number;
  readonly prev_hash: string;
}

export interface FileLine {
  readonly row: AuditRow;
  readonly text: string;
  /** Offset of the byte after the line. */
  readonly end: number;
}

/** Numbers of the files, in their order. */
export function fileNumbers(folder: string): readonly number[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return names
    .flatMap((name) => Number(/^audit-(\d{6,})\.jsonl$/.exec(name)?.[1] ?? []) || [])
    .toSorted((one, other) => one - other);
}

export const auditFile = (folder: string, number: number): string =>
  join(folder, `audit-${String(number).padStart(6, "0")}.jsonl`);

export const headLine = (head: FileHead): string => canonicalJson({ format: FORMAT, ...head });

export const eventLine = (event: AuditEvent): string => canonicalJson(event as unknown as Json);

/** Undefined if its first line was changed or is missing. */
export async function headOf(file: string): Promise<(FileHead & { readonly end: number }) | undefined> {
  for await (const { text, end } of linesOf(file)) {
    const head = headIn(text);
    return head && { ...head, end };
  }
  return undefined;
}

/** The events of a file. A forged head is a row that cannot be read. */
export async function* fileLines(file: string): AsyncGenerator<FileLine> {
  let position: number | undefined;
  let previous: string | undefined;
  for await (const { text, end } of linesOf(file)) {
    if (position === undefined) {
      const head = headIn(text);
      position = head?.first ?? 0;
      previous = head?.prev_hash;
      if (head === undefined)
        yield { row: { position, unreadable: `the first line of ${file} was changed` }, text, end };
      continue;
    }
    const row = rowIn(position, text);
    // Otherwise the head contradicts the event.
    if (previous !== undefined && "event" in row && row.event.prev_hash !== previous)
      yield { row: { position, unreadable: `the first line of ${file} was changed` }, text, end };
    else yield { row, text, end };
    previous = undefined;
    position += 1;
  }
}

function headIn(text: string): FileHead | undefined {
  try {
    const { first, prev_hash } = JSON.parse(text) as FileHead;
    return Number.isSafeInteger(first) &&
      typeof prev_hash === "string" &&
      headLine({ first, prev_hash }) === text
      ? { first, prev_hash }
      : undefined;
  } catch {
    return undefined;
  }
}

export function rowIn(position: number, text: string): AuditRow {
  try {
    const { metadata, ...members } = JSON.parse(text) as Record<string, unknown>;
    const row = readRow(position, members, canonicalJson(metadata as Json));
    if ("unreadable" in row || eventLine(row.event) === text) return row;
  } catch {
    // No JSON.
  }
  return { position, unreadable: "its line is no canonical JSON of an event" };
}
