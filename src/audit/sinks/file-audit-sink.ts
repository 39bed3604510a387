// An audit log in files of JSON lines, for one process (writer-lock.ts). Lines that arrive during a
// write and sync go into the next write together.
//
//   AU2. An append resolves after the sync of its line. Text after the last line break, left by a
//        crash, was never acknowledged and is cut when the sink opens.
//   AU3. After a failed write or sync the state is unknown: the sink closes, and the next append
//        opens it and reads it again.

import { mkdirSync } from "node:fs";
import { type FileHandle, open, rename, rm, stat, truncate } from "node:fs/promises";
import { FrameworkError } from "#core/errors.js";
import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { type AuditEntry, NO_HASH, type PlacedAuditEvent } from "#core/ports/audit-event.js";
import type {
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  KeptCheckpoint,
} from "#core/ports/audit-sink.js";
import { CheckpointFile } from "../chain/checkpoint-file.js";
import { AppendLimit } from "../event/append-limit.js";
import { requireReadable } from "../event/audit-row.js";
import { checkedQuery, matching } from "../event/query-match.js";
import { asked, linked, sameEvent, type UnlinkedEvent, unlinkedEvent } from "../event/unlinked-event.js";
import { auditFile, eventLine, fileLines, fileNumbers, headLine, headOf } from "./audit-files.js";
import { WriterLock } from "./writer-lock.js";

export interface FileAuditOptions {
  /** Size after which a new file begins. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Whether a new file also begins each day (UTC). Default false. */
  readonly daily?: boolean;
  /** Microseconds since 1970, for tests. */
  readonly now?: () => number;
}

/** `folder` is created if missing. No file is opened before the first call. */
export const fileAuditSink = (folder: string, options: FileAuditOptions = {}): AuditSink =>
  new FileAuditSink(folder, options);

interface Waiting {
  readonly unlinked: UnlinkedEvent;
  readonly resolve: (placed: PlacedAuditEvent) => void;
  readonly reject: (error: unknown) => void;
}

/** The current file. */
interface Writing {
  readonly lock: WriterLock;
  file: FileHandle;
  number: number;
  size: number;
  day: string;
  /** Position of the newest event. */
  position: number;
  hash: string;
  /** Positions by the ids of this file and the previous one: older ids are forgotten. */
  ids: Map<string, number>;
  idsBefore: ReadonlyMap<string, number>;
}

class FileAuditSink implements AuditSink {
  readonly shown: string;
  readonly checkpoints: AuditCheckpoints;
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #daily: boolean;
  readonly #now: (() => number) | undefined;
  readonly #limit: AppendLimit;
  #waiting: Waiting[] = [];
  #writing: Writing | undefined;
  #isClosed = false;
  /** Writes run one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, options: FileAuditOptions) {
    requireKnownOptions("fileAuditSink", options, ["maxBytes", "daily", "now"]);
    const { maxBytes = 16_777_216, daily = false, now } = options;
    this.#maxBytes = requireWhole("fileAuditSink", "maxBytes", maxBytes, 1024, 2 ** 40);
    this.#daily = daily;
    this.#now = now;
    this.#folder = folder;
    this.shown = `file:${folder}`;
    this.#limit = new AppendLimit(this.shown);
    const checkpoints = new CheckpointFile(`${folder}/checkpoints.jsonl`);
    this.checkpoints = {
      ...{ newest: checkpoints.newest, list: checkpoints.list },
      put: (checkpoint: KeptCheckpoint) => this.#inTurn(() => checkpoints.put(checkpoint)),
    };
  }

  readonly append = (entry: AuditEntry): Promise<PlacedAuditEvent> =>
    this.#limit.within(async () => {
      const unlinked = unlinkedEvent(entry, this.#now);
      return new Promise<PlacedAuditEvent>((resolve, reject) => {
        this.#waiting.push({ unlinked, resolve, reject });
        if (this.#waiting.length === 1)
          this.#inTurn((writing) => this.#write(writing)).catch((error) => this.#rejectAll(error));
      });
    });

  async *rows(from?: number): AsyncGenerator<AuditRow> {
    const numbers = fileNumbers(this.#folder);
    for (const [at, number] of numbers.entries()) {
      const next = numbers[at + 1];
      // Files that end before `from` are not read.
      const nextHead =
        from === undefined || next === undefined ? undefined : await headOf(auditFile(this.#folder, next));
      if (nextHead !== undefined && nextHead.first <= (from as number)) continue;
      for await (const { row } of fileLines(auditFile(this.#folder, number)))
        if (from === undefined || row.position >= from) yield row;
    }
  }

  readonly head = async (): Promise<AuditRow | undefined> => {
    for (const number of fileNumbers(this.#folder).toReversed()) {
      let last: AuditRow | undefined;
      for await (const { row } of fileLines(auditFile(this.#folder, number))) last = row;
      if (last !== undefined) return last;
    }
    return undefined;
  };

  readonly find = async (id: string): Promise<AuditRow | undefined> => {
    const kept = asked("id", id);
    for await (const row of this.rows()) if ("event" in row && row.event.id === kept) return row;
    return undefined;
  };

  readonly query = (query: AuditQuery = {}): Promise<readonly AuditRow[]> => {
    const checked = checkedQuery(query);
    return matching(this.rows(checked.after), checked);
  };

  readonly remove = (through: number, limit: number): Promise<number> =>
    this.#inTurn(async (writing) => {
      const last = Math.min(through, writing.position - 1);
      let left = limit;
      for (const number of fileNumbers(this.#folder)) {
        if (left <= 0) break;
        const removed = await this.#removeFrom(writing, number, last, left);
        if (removed === 0) break;
        left -= removed;
      }
      return limit - left;
    });

  readonly close = async (): Promise<void> => {
    await this.#turn;
    this.#isClosed = true;
    await this.#release();
  };

  #inTurn<T>(work: (writing: Writing) => Promise<T>): Promise<T> {
    const done = this.#turn.then(async () => {
      if (this.#isClosed) throw unavailable(this.shown, new Error("it is closed"));
      try {
        this.#writing ??= await this.#open();
        this.#writing.lock.require();
        return await work(this.#writing);
      } catch (error) {
        await this.#release();
        throw error instanceof FrameworkError ? error : unavailable(this.shown, error);
      }
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #write(writing: Writing): Promise<void> {
    const batch = this.#waiting.splice(0);
    try {
      const told = await this.#writeAll(writing, batch);
      for (const tell of told) tell();
    } catch (error) {
      this.#waiting.unshift(...batch);
      throw error;
    }
  }

  async #writeAll(writing: Writing, batch: readonly Waiting[]): Promise<readonly (() => void)[]> {
    const made = new Map<string, PlacedAuditEvent>();
    const told: (() => void)[] = [];
    if (this.#isFull(writing, batch)) await this.#rotate(writing);
    let { position, hash } = writing;
    for (const { unlinked, resolve, reject } of batch) {
      const { id } = unlinked.event;
      const kept = made.get(id) ?? (await this.#kept(writing, id));
      if (kept !== undefined) {
        told.push(() => settle(() => sameEvent(kept, unlinked), resolve, reject));
        continue;
      }
      position += 1;
      const placed = { position, event: linked(unlinked, hash) };
      hash = placed.event.hash;
      made.set(id, placed);
      told.push(() => resolve(placed));
    }
    if (made.size === 0) return told;
    const text = Buffer.from([...made.values()].map(({ event }) => `${eventLine(event)}\n`).join(""));
    await writing.file.write(text, 0, text.length, writing.size);
    await writing.file.datasync();
    writing.size += text.length;
    writing.position = position;
    writing.hash = hash;
    for (const placed of made.values()) writing.ids.set(placed.event.id, placed.position);
    return told;
  }

  async #kept({ ids, idsBefore }: Writing, id: string): Promise<PlacedAuditEvent | undefined> {
    const position = ids.get(id) ?? idsBefore.get(id);
    if (position === undefined) return undefined;
    for await (const row of this.rows(position)) return requireReadable(this.shown, row);
    return undefined;
  }

  #isFull({ size, day }: Writing, [first]: readonly Waiting[]): boolean {
    return size >= this.#maxBytes || (this.#daily && first !== undefined && dayOf(first.unlinked) > day);
  }

  async #rotate(writing: Writing): Promise<void> {
    const { file, number, position, hash, ids } = writing;
    const next = await this.#begin(number + 1, position + 1, hash);
    await file.close();
    Object.assign(writing, {
      ...next,
      number: number + 1,
      ids: new Map(),
      idsBefore: ids,
      day: today(this.#now),
    });
  }

  /** Creates a file with its head, atomically. */
  async #begin(
    number: number,
    first: number,
    previous: string,
  ): Promise<{ readonly file: FileHandle; readonly size: number }> {
    const path = auditFile(this.#folder, number);
    const text = `${headLine({ first, prev_hash: previous })}\n`;
    await this.#replace(path, async (file) => {
      await file.write(text);
    });
    return { file: await open(path, "r+"), size: Buffer.byteLength(text) };
  }

  async #replace(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const file = await open(`${path}.new`, "w", 0o600);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncFolder(this.#folder);
  }

  async #open(): Promise<Writing> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const lock = WriterLock.take(this.#folder);
    try {
      const numbers = fileNumbers(this.#folder);
      const number = numbers.at(-1) ?? 1;
      if (numbers.length === 0) await (await this.#begin(1, 1, NO_HASH)).file.close();
      const { end, ...end_ } = await this.#endOf(number);
      await truncate(auditFile(this.#folder, number), end);
      const before = numbers.at(-2);
      const idsBefore = before === undefined ? new Map<string, number>() : (await this.#endOf(before)).ids;
      const file = await open(auditFile(this.#folder, number), "r+");
      return { lock, file, number, size: end, ...end_, idsBefore };
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The end of a file, and the ids of its events. Throws AUDIT_CHAIN_BROKEN if it was changed. */
  async #endOf(
    number: number,
  ): Promise<Pick<Writing, "position" | "hash" | "day" | "ids"> & { readonly end: number }> {
    const path = auditFile(this.#folder, number);
    const head = await headOf(path);
    if (head === undefined)
      throw new FrameworkError(
        "AUDIT_CHAIN_BROKEN",
        `${path}: its first line was changed; run "framework audit verify"`,
      );
    let { end } = head;
    let [position, hash, day] = [head.first - 1, head.prev_hash, today(this.#now)];
    const ids = new Map<string, number>();
    for await (const line of fileLines(path)) {
      const { event } = requireReadable(this.shown, line.row);
      ids.set(event.id, line.row.position);
      [position, hash, day, end] = [line.row.position, event.hash, event.timestamp.slice(0, 10), line.end];
    }
    return { position, hash, day, ids, end };
  }

  /** Deletes a file, or rewrites it without its first events. Returns the number of deleted events. */
  async #removeFrom(writing: Writing, number: number, through: number, limit: number): Promise<number> {
    const path = auditFile(this.#folder, number);
    const head = await headOf(path);
    if (head === undefined) return 0;
    const last = Math.min(through, head.first + limit - 1);
    let removed = 0;
    let left: AuditRow | undefined;
    for await (const { row } of fileLines(path)) {
      if (row.position > last) {
        left = row;
        break;
      }
      removed += 1;
    }
    if (removed === 0) return 0;
    if (left === undefined && number !== writing.number) await rm(path);
    else if (left !== undefined) await this.#rewrite(writing, number, requireReadable(this.shown, left));
    return removed;
  }

  async #rewrite(writing: Writing, number: number, { position, event }: PlacedAuditEvent): Promise<void> {
    const path = auditFile(this.#folder, number);
    await this.#replace(path, async (file) => {
      await file.write(`${headLine({ first: position, prev_hash: event.prev_hash })}\n`);
      for await (const { row, text } of fileLines(path))
        if (row.position >= position) await file.write(`${text}\n`);
    });
    if (number !== writing.number) return;
    await writing.file.close();
    writing.file = await open(path, "r+");
    writing.size = (await stat(path)).size;
  }

  async #release(): Promise<void> {
    const writing = this.#writing;
    this.#writing = undefined;
    await writing?.file.close().catch(() => {});
    writing?.lock.release();
  }
}

const today = (now: (() => number) | undefined): string =>
  new Date((now?.() ?? Date.now() * 1000) / 1000).toISOString().slice(0, 10);

const dayOf = ({ event }: UnlinkedEvent): string => event.timestamp.slice(0, 10);

function settle<T>(value: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(value());
  } catch (error) {
    reject(error);
  }
}

/** Makes a new file name survive a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const unavailable = (shown: string, cause: unknown): FrameworkError =>
  new FrameworkError(
    "AUDIT_UNAVAILABLE",
    `${shown}: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );
