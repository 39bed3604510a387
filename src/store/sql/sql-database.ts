// The port of SQL databases: what the stores of this folder ask of SQLite and PostgreSQL. One SQL
// text serves both, with parameters $1, $2 ... and RETURNING where the number of changed rows
// counts; where they differ the dialect has a word for it.

import type { StandingLease, StandingLeaseOptions } from "#core/ports/run-store.js";

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** If it returns no row, the whole transaction is undone and `write` resolves to undefined. */
  readonly must?: true;
}

/** Entries for the log of one run. */
export interface Append {
  readonly id: string;
  /** Entries in the log before; 0 begins it. */
  readonly known: number;
  readonly entries: string;
  readonly keyId: string | null;
  /** See `columnValues`. */
  readonly columns: readonly SqlValue[];
  /** Labels of the run that are new or changed; absent for none. */
  readonly labels?: readonly LabelRow[];
  /** What is kept of the log before is deleted. */
  readonly replaces?: true;
}

/** A label of a run: `term` is its keyed or plain hash, by which it is found; `kept` its encoded value. */
export interface LabelRow {
  readonly name: string;
  readonly term: string;
  readonly kept: string;
}

/** An event for the audit log. `before` and `behind` are its canonical JSON around its `prev_hash`. */
export interface AuditAppend {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly intent: string | null;
  readonly metadata: string;
  readonly before: string;
  readonly behind: string;
}

/** False if the log was another one; else the request to cancel in the row of the run, as it is kept, and whether it is due. */
export type Appended = false | { readonly cancel: string | null; readonly isDue: boolean };

/** The columns of an append as it was linked, or those of the event that is kept under its id. */
export interface AuditAppended {
  readonly isNew: boolean;
  readonly row: Row;
}

export interface Compacted {
  /** Whether no text that was deleted or replaced before is left in the files of the tables. */
  readonly isDone: boolean;
  /** Where such texts are left, and until when. */
  readonly left: readonly string[];
}

export interface SqlDialect {
  readonly name: "sqlite" | "postgres";
  /** The database's clock, in milliseconds since 1970. */
  readonly now: string;
  /** The texts in a parameter that holds a JSON array, for `IN`. */
  readonly listed: (parameter: string) => string;
  /**
   * Statements that make transactions over one name wait for each other: for those that miss rows
   * which another transaction is about to commit. `sql` selects the name. None where transactions
   * that write run one after another anyway.
   */
  readonly serialized: (sql: string, values: readonly SqlValue[]) => readonly Statement[];
  /** Statements that call what listens in other processes, at the commit, if `sql` selects a row. None without `listen`. */
  readonly notified: (sql: string, values: readonly SqlValue[]) => readonly Statement[];
}

/** A database that opens at its first call, or by `open`. A call that fails rejects. */
export interface SqlDatabase {
  readonly dialect: SqlDialect;
  readonly tables: Tables;
  /**
   * Connects and applies migrations. Resolves at once where it is open. `looks`: applies none and makes no
   * file; rejects with STORE_VERSION for tables of another version.
   */
  readonly open: (looks?: boolean) => Promise<void>;
  /** Waits for what is in flight. Afterwards each call rejects. */
  readonly close: () => Promise<void>;
  /** Rejects if the database does not respond, takes no writes, or its file is another one by now. */
  readonly check: () => Promise<void>;
  /** See StoreSet. */
  readonly warnings: () => readonly string[];
  readonly read: (sql: string, values: readonly SqlValue[]) => Promise<readonly Row[]>;
  /** Runs the statements in one transaction. Resolves, after the commit, to the rows of each. */
  readonly write: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[] | undefined>;
  /** Writes what others wait for: with PostgreSQL it waits for no call of this process. */
  readonly lease: (statement: Statement) => Promise<void>;
  /** Repeats it in a thread while the event loop gives no sign. */
  readonly holdLease: (statement: Statement, everyMs: number, options: StandingLeaseOptions) => StandingLease;
  /** Whether the log held exactly `known` entries, and now holds these behind them. */
  readonly append: (append: Append) => Promise<Appended>;
  /** Calls `heard` when a process was told by `notified`, and when it may have missed that. */
  readonly listen?: (heard: () => void) => { readonly end: () => Promise<void> };
  /** Links the event to the newest one and inserts it in one transaction, where its id is new. */
  readonly appendAudit: (append: AuditAppend) => Promise<AuditAppended>;
  /** Rewrites the tables without deleted and replaced rows. Other statements wait until it ends. */
  readonly compact: () => Promise<Compacted>;
}

/** Names of tables as they stand in SQL, with schema and prefix. */
export type Tables = Readonly<Record<TableName, string>>;

export const TABLE_NAMES = [
  "version",
  "run",
  "run_part",
  "run_label",
  "run_signal",
  "host",
  "service",
  "request",
  "letter",
  "session",
  "idempotency",
  "lock",
  "lock_counter",
  "rate",
  "audit",
  "audit_checkpoint",
  "erasure",
  "subject_key",
] as const;
export type TableName = (typeof TABLE_NAMES)[number];
