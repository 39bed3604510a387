// The thread that owns a SQLite database: fsync and waiting for locks hold up this thread, not
// the event loop. All calls of a batch are one transaction. Runs by itself: imports only types,
// modules of Node.js and the one that it shares with the other thread.
//
//   SQ1. A batch is answered after its commit (WAL, synchronous FULL), never before.
//   SQ2. If a statement fails, the batch is undone and each call runs again in a transaction of
//       its own: a bad call fails alone.
//   SQ3. The write-ahead log is cut once it is larger than `maxWalBytes`: where some process reads at
//        all times it would never begin anew. A long reader is not awaited: while it reads, the log
//        grows; afterwards SQLite cuts it to `journal_size_limit`.

import { hash as digest } from "node:crypto";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { AuditSql } from "../sql/audit-columns.js";
import type { AuditAppend, Row, SqlValue, Statement } from "../sql/sql-database.js";
import { beatInSilence, type SilentBeats } from "../threads/silent-beats.js";

/** Undefined values: a call whose `must` returned no row. */
export type CallResult = { readonly rows: readonly (readonly Row[])[] | undefined } | FailedCall;
export interface FailedCall {
  readonly failed: string;
  /** Of SQLite, such as SQLITE_BUSY; empty if it has none. */
  readonly code: string;
}

/**
 * Statements, or an event that is to be linked: one row that is kept already, or none and the new link.
 * "compact" is alone in its batch, and has the row of the checkpoint.
 */
export type ThreadCall = readonly Statement[] | AuditAppend | "compact";

export interface Batch {
  readonly calls: readonly ThreadCall[];
  /** Whether a call writes: only then the batch is a transaction. */
  readonly writes: boolean;
}

/** A lease that the thread extends while the event loop gives no sign, from now on or no longer. */
export type LeaseCall = { readonly lease: number } & (
  | { readonly statement: Statement; readonly beats: SilentBeats }
  | { readonly statement?: undefined }
);

type ThreadMessage = Batch | LeaseCall | "close";

export interface ThreadData {
  /** Folder from which the package libsql is resolved. */
  readonly resolveFrom: string;
  readonly file: string;
  readonly busyTimeoutMs: number;
  /** Leaves the mode of the journal as it is. */
  readonly asFound: boolean;
  readonly maxWalBytes: number;
  readonly audit: AuditSql;
}

interface Prepared {
  all(values: readonly SqlValue[]): Row[];
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Prepared;
  close(): void;
  readonly inTransaction: boolean;
}

const { resolveFrom, file, busyTimeoutMs, asFound, maxWalBytes, audit } = workerData as ThreadData;

function opened(): Database {
  const Libsql = createRequire(resolveFrom)("libsql") as new (file: string) => Database;
  const made = new Libsql(file);
  // The next statement may wait for another process that opens the file at the same time.
  made.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (!asFound) made.exec(`PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${maxWalBytes}`);
  made.exec("PRAGMA synchronous = FULL");
  return made;
}

let database: Database;
try {
  database = opened();
  parentPort?.postMessage("open");
} catch (error) {
  parentPort?.postMessage(failureOf(error));
  process.exit();
}

const MAX_PREPARED = 200;
const preparedBySql = new Map<string, Prepared>();

function prepare(sql: string): Prepared {
  const known = preparedBySql.get(sql);
  if (known !== undefined) return known;
  const prepared = database.prepare(sql.replaceAll(/\$(\d)/g, "?$1"));
  if (preparedBySql.size >= MAX_PREPARED) preparedBySql.clear();
  preparedBySql.set(sql, prepared);
  return prepared;
}

function run(call: ThreadCall): CallResult {
  if (call === "compact") return compacted();
  if ("behind" in call) return linked(call);
  return stated(call);
}

/** The new pages are in the write-ahead log until its checkpoint: so are old ones. */
function compacted(): CallResult {
  database.prepare("VACUUM").all([]);
  return { rows: [database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([])] };
}

/** In the transaction of the batch, which is IMMEDIATE: no other process appends in between. */
function linked({
  id,
  at,
  actor,
  action,
  target,
  intent,
  metadata,
  before,
  behind,
}: AuditAppend): CallResult {
  const kept = prepare(audit.kept).all([id]);
  if (kept.length > 0) return { rows: [kept, []] };
  const [head] = prepare(audit.head).all([]);
  const seq = (head === undefined ? 0 : Number(head["seq"] ?? Number.NaN)) + 1;
  if (!Number.isSafeInteger(seq)) throw new Error(audit.unplaced);
  const previous = String(head?.["hash"] ?? audit.noHash);
  const hash = digest("sha256", `${before}${previous}${behind}`);
  const values = [seq, id, at, actor, action, target, intent, metadata, previous, hash];
  prepare(audit.insert).all(values);
  if (prepare(audit.inserted).all(values).length === 0) throw new Error(audit.unkept);
  return { rows: [[], [{ seq, prev_hash: previous, hash }]] };
}

function stated(statements: readonly Statement[]): CallResult {
  const needsUndo = statements.some(({ must }, at) => must === true && at > 0);
  if (needsUndo) database.exec("SAVEPOINT call");
  const rows: Row[][] = [];
  for (const { sql, values, must } of statements) {
    const found = prepare(sql).all(values);
    if (must === true && found.length === 0) {
      if (needsUndo) database.exec("ROLLBACK TO call; RELEASE call");
      return { rows: undefined };
    }
    rows.push(found);
  }
  if (needsUndo) database.exec("RELEASE call");
  return { rows };
}

function inTransaction(calls: Batch["calls"]): CallResult[] {
  database.exec("BEGIN IMMEDIATE");
  try {
    const results = calls.map(run);
    database.exec("COMMIT");
    return results;
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Errors of one statement; any other, such as SQLITE_BUSY or SQLITE_FULL, would meet each call again. */
const OWN_FAULT = /^(SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR|RANGE).*)?$/;

/** A copy of an error would lose its class and code on the way to the other thread. */
function failureOf(error: unknown): FailedCall {
  const { message, code = "" } = error as Error & { readonly code?: string };
  return { failed: message, code };
}

function resultsOf({ calls, writes }: Batch): readonly CallResult[] {
  const each = (one: (call: Batch["calls"][number]) => CallResult): CallResult[] =>
    calls.map((call) => {
      try {
        return one(call);
      } catch (error) {
        return failureOf(error);
      }
    });
  if (!writes) return each(run);
  try {
    return inTransaction(calls);
  } catch (error) {
    const failure = failureOf(error);
    if (calls.length === 1 || !OWN_FAULT.test(failure.code)) return calls.map(() => failure);
    return each((call) => inTransaction([call])[0] as CallResult);
  }
}

/** How long a checkpoint waits for readers. */
const CHECKPOINT_WAIT_MS = 50;
/** Larger than the limit while a reader is in the way. */
let checkpointAt = maxWalBytes;

/** Runs behind the answers of a batch: only the next one waits for it. */
function boundWal(): void {
  const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {};
  if (size <= maxWalBytes) checkpointAt = maxWalBytes;
  if (size <= checkpointAt) return;
  checkpointAt = size + maxWalBytes;
  database.exec(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  try {
    database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([]);
  } catch {
    // As on a full disk: the writes report it.
  }
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
}

const leases = new Map<number, () => void>();

function hold(call: LeaseCall): void {
  leases.get(call.lease)?.();
  leases.delete(call.lease);
  const { statement } = call;
  if (statement === undefined) return;
  // A failure is reported by the event loop, when it fails there too.
  const beat = (): void => void resultsOf({ calls: [[statement]], writes: true });
  leases.set(call.lease, beatInSilence(call.beats, beat));
}

parentPort?.on("message", (message: ThreadMessage) => {
  if (message !== "close" && "lease" in message) return hold(message);
  if (message !== "close") {
    parentPort?.postMessage(resultsOf(message));
    if (message.writes && !asFound) boundWal();
    return;
  }
  database.close();
  process.exit();
});
