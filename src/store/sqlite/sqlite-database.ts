// SQLite through a writer thread (sqlite-thread.ts). Owns the queue in front of it: one batch is
// in flight, calls that come meanwhile form the next one. No timer: a wait of 2 ms cost two thirds
// of the throughput.

import { closeSync, existsSync, fchmodSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import type { Worker } from "node:worker_threads";

import { FrameworkError } from "#core/errors.js";
import { auditSql } from "../sql/audit-columns.js";
import { migrate } from "../sql/migrations.js";
import { APPEND_PARAMETERS, begunColumns, grownColumns } from "../sql/run-columns.js";
import type {
  Append,
  Appended,
  AuditAppend,
  AuditAppended,
  Compacted,
  Row,
  SqlDatabase,
  SqlDialect,
  SqlValue,
  Statement,
  Tables,
} from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { isDue } from "../sql/wait-columns.js";
import { newSigns, startThread } from "../threads/start-thread.js";
import type { Batch, CallResult, FailedCall, LeaseCall, ThreadCall, ThreadData } from "./sqlite-thread.js";

export interface SqliteOptions {
  /** Path of the file; its folder is made (0700) where it is missing, the file too (0600). */
  readonly file: string;
  readonly tables: Tables;
  readonly autoMigrate?: boolean;
  /** See OpeningOptions. */
  readonly asFound?: boolean;
  /** Size beyond which the write-ahead log is cut, as far as no reader needs it. Default 64 MB. */
  readonly maxWalBytes?: number;
}

/** How long the thread waits for a lock that another process holds. */
const BUSY_TIMEOUT_MS = 5000;
const MAX_WAL_BYTES = 64 * 1024 * 1024;
/** Maximum number of calls of a batch: what one commit may take. */
const MAX_BATCH = 500;

/** The place of a parameter of an append. */
const PARAMETER = (of: string): string => `$${APPEND_PARAMETERS.findIndex(({ name }) => name === of) + 1}`;

interface Call {
  readonly asked: ThreadCall;
  readonly writes: boolean;
  readonly settle: (result: CallResult) => void;
}

export class SqliteDatabase implements SqlDatabase {
  readonly dialect: SqlDialect = {
    name: "sqlite",
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    listed: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
    serialized: () => [],
    notified: () => [],
  };
  readonly tables: Tables;
  readonly #options: SqliteOptions;
  readonly #begin: Statement["sql"];
  readonly #more: Statement["sql"];
  readonly #part: Statement["sql"];
  readonly #label: Statement["sql"];
  readonly #replaced: Statement["sql"];
  #closing: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #thread: Worker | undefined;
  #waiting: Call[] = [];
  #inFlight: readonly Call[] = [];
  #isDue = false;
  /** Number of leases that the thread was ever given. */
  #held = 0;
  readonly #leases = new Map<number, LeaseCall>();
  #opened: string | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.tables = options.tables;
    const { run, run_part: part, run_label: label } = options.tables;
    const begun = begunColumns(PARAMETER, this.dialect.now);
    const due = isDue("due", this.dialect.now);
    this.#begin = `INSERT INTO ${run} (${begun.columns}) VALUES (${begun.values})
      ON CONFLICT (id) DO NOTHING RETURNING cancel, ${due}`;
    this.#more = `UPDATE ${run} SET ${grownColumns(run, PARAMETER, this.dialect)}
      WHERE id = ${PARAMETER("id")} AND known = ${PARAMETER("at_known")} RETURNING cancel, ${due}`;
    this.#part = `INSERT INTO ${part} (run, known, entries, key_id) SELECT seq, $1, $2, $3 FROM ${run} WHERE id = $4`;
    this.#label = `INSERT INTO ${label} (run, name, term, kept) SELECT seq, $1, $2, $3 FROM ${run} WHERE id = $4
      ON CONFLICT (run, name) DO UPDATE SET term = excluded.term, kept = excluded.kept`;
    this.#replaced = `DELETE FROM ${part} WHERE run = (SELECT seq FROM ${run} WHERE id = $1) AND known < $2`;
  }

  readonly open = (looks = false): Promise<void> => {
    this.#opening ??= this.#open(looks).catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  };

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#close();
    return this.#closing;
  };

  readonly warnings = (): readonly string[] => [];

  readonly check = async (): Promise<void> => {
    await this.read("SELECT 1 AS found", []);
    const { file } = this.#options;
    if (fileOf(resolve(file)) !== this.#opened)
      throw new FrameworkError(
        "STORE_UNAVAILABLE",
        `sqlite:${file}: the file was deleted or replaced while it was open, and what is written now is in the old one: end the process, put the file back and start again`,
      );
  };

  readonly read = async (sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> => {
    const rows = await this.#call([{ sql, values }], false);
    return rows?.[0] ?? [];
  };

  readonly write = (statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> =>
    this.#call(statements, true);

  readonly lease = async (statement: Statement): Promise<void> => {
    await this.#call([statement], true);
  };

  readonly holdLease: SqlDatabase["holdLease"] = (statement, everyMs, { maxSilenceMs }) => {
    const signs = newSigns();
    this.#held += 1;
    const lease = this.#held;
    const call: LeaseCall = { lease, statement, beats: { signs, everyMs, maxSilenceMs } };
    this.#leases.set(lease, call);
    this.#thread?.postMessage(call);
    return {
      sign: () => void Atomics.add(signs, 0, 1),
      end: () => {
        this.#leases.delete(lease);
        this.#thread?.postMessage({ lease } satisfies LeaseCall);
      },
    };
  };

  readonly append = async (append: Append): Promise<Appended> => {
    const { id, known, columns, labels = [], replaces } = append;
    const kept: Statement =
      known === 0
        ? { sql: this.#begin, values: columns, must: true }
        : { sql: this.#more, values: [...columns, known], must: true };
    const part = { sql: this.#part, values: [known, append.entries, append.keyId, id] };
    const labelled = labels.map(({ name, term, kept: text }) => ({
      sql: this.#label,
      values: [name, term, text, id],
    }));
    const replaced = replaces === true ? [{ sql: this.#replaced, values: [id, known] }] : [];
    const [rows] = (await this.#call([kept, part, ...labelled, ...replaced], true)) ?? [];
    const [row] = rows ?? [];
    return (
      row !== undefined && { cancel: row["cancel"] as string | null, isDue: Number(row["is_due"]) === 1 }
    );
  };

  readonly appendAudit = async (append: AuditAppend): Promise<AuditAppended> => {
    const [kept, made] = (await this.#call(append, true)) ?? [];
    const [row] = kept ?? [];
    return row === undefined ? { isNew: true, row: made?.[0] as Row } : { isNew: false, row };
  };

  readonly compact = async (): Promise<Compacted> => {
    const [checkpoint] = (await this.#call("compact", false))?.[0] ?? [];
    const isDone = Number(checkpoint?.["busy"]) === 0;
    const { file } = this.#options;
    const left = `sqlite:${file}: another process reads it: old texts are left in ${file} and ${file}-wal until this is done again`;
    return { isDone, left: isDone ? [] : [left] };
  };

  async #close(): Promise<void> {
    await this.#opening?.catch(() => {});
    const thread = this.#thread;
    if (thread === undefined) return;
    while (this.#inFlight.length > 0 || this.#waiting.length > 0)
      await new Promise((done) => setImmediate(done));
    thread.ref();
    const ended = new Promise((done) => thread.once("exit", done));
    thread.postMessage("close");
    await ended;
  }

  async #open(looks: boolean): Promise<void> {
    const { file, autoMigrate = true, asFound = false } = this.#options;
    const path = resolve(file);
    if (looks && !existsSync(path))
      throw storeUnavailable(`sqlite:${file}`, new Error("there is no such file"));
    await this.#startThread(path, asFound);
    this.#opened = fileOf(path);
    if (asFound) return;
    await migrate(
      {
        dialect: this.dialect,
        tables: this.tables,
        read: (sql, values) => this.#ask([{ sql, values }], false).then((rows) => rows?.[0] ?? []),
        write: (statements) => this.#ask(statements, true),
      },
      { autoMigrate: autoMigrate && !looks, shown: `sqlite:${file}` },
    );
  }

  async #startThread(path: string, asFound: boolean): Promise<void> {
    const data: ThreadData = {
      resolveFrom: libsqlFrom(),
      file: path,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      asFound,
      maxWalBytes: this.#options.maxWalBytes ?? MAX_WAL_BYTES,
      audit: auditSql(this.tables),
    };
    if (!asFound) prepareFile(path);
    const thread = startThread("#store/sqlite/sqlite-thread.js", data);
    await new Promise<void>((opened, failed) => {
      thread.once("message", (message: "open" | FailedCall) =>
        message === "open" ? opened() : failed(storeUnavailable(`sqlite:${path}`, failureOf(message))),
      );
      thread.once("error", (cause) => failed(storeUnavailable(`sqlite:${path}`, cause)));
    });
    thread.unref();
    this.#thread = thread;
    for (const call of this.#leases.values()) thread.postMessage(call);
    thread.on("message", (results: readonly CallResult[]) => this.#answered(results));
    const lost = (cause: unknown): void => this.#lost(thread, cause);
    thread.on("error", lost);
    thread.on("exit", () => lost(new Error("The thread of the database ended")));
  }

  async #call(asked: ThreadCall, writes: boolean): Promise<readonly (readonly Row[])[] | undefined> {
    if (this.#closing !== undefined)
      throw new FrameworkError("STORE_UNAVAILABLE", `sqlite:${this.#options.file}: it is closed`);
    if (this.#thread === undefined) await this.open();
    return this.#ask(asked, writes);
  }

  #ask(asked: ThreadCall, writes: boolean): Promise<readonly (readonly Row[])[] | undefined> {
    return new Promise((resolved, rejected) => {
      const settle = (result: CallResult): void => {
        if (!("failed" in result)) resolved(result.rows);
        else rejected(storeUnavailable(`sqlite:${this.#options.file}`, failureOf(result)));
      };
      const call: Call = { asked, writes, settle };
      if (asked === "compact") this.#waiting.unshift(call);
      else this.#waiting.push(call);
      this.#send();
    });
  }

  /** In the next phase of the loop: until then everything of this turn joins the batch. */
  #send(): void {
    if (this.#isDue || this.#inFlight.length > 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const thread = this.#thread;
      if (thread === undefined)
        return this.#reject(this.#waiting.splice(0), "The thread of the database ended");
      const isAlone = this.#waiting[0]?.asked === "compact";
      this.#inFlight = this.#waiting.splice(0, isAlone ? 1 : MAX_BATCH);
      thread.ref();
      const batch: Batch = {
        calls: this.#inFlight.map(({ asked }) => asked),
        writes: this.#inFlight.some(({ writes }) => writes),
      };
      thread.postMessage(batch);
    });
  }

  #answered(results: readonly CallResult[]): void {
    const calls = this.#inFlight;
    this.#inFlight = [];
    for (const [at, { settle }] of calls.entries()) settle(results[at] as CallResult);
    if (this.#waiting.length > 0) this.#send();
    else this.#thread?.unref();
  }

  /** What was in flight may be kept or not; the next call starts a thread anew. */
  #lost(thread: Worker, cause: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#opening = undefined;
    const calls = [...this.#inFlight, ...this.#waiting.splice(0)];
    this.#inFlight = [];
    this.#reject(calls, cause instanceof Error ? cause.message : String(cause));
  }

  #reject(calls: readonly Call[], failed: string): void {
    for (const { settle } of calls) settle({ failed, code: "" });
  }
}

const failureOf = ({ failed, code }: FailedCall): Error =>
  Object.assign(new Error(code === "" ? failed : `${code}: ${failed}`), { code });

/** The file that has this path now. */
function fileOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const MAGIC = "SQLite format 3\0";

/** SQLite gives its WAL and index files the mode of the database. A file of something else is left as it is. */
function prepareFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const opened = openSync(path, "a+", 0o600);
    try {
      const begin = Buffer.alloc(MAGIC.length);
      const length = readSync(opened, begin, 0, begin.length, 0);
      if (length > 0 && begin.toString("latin1") !== MAGIC) throw new Error("file is not a database");
      fchmodSync(opened, 0o600);
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    throw storeUnavailable(`sqlite:${path}`, cause);
  }
}

/** Resolves libsql here, for an error before a thread starts. */
function libsqlFrom(): string {
  const from = import.meta.url;
  try {
    createRequire(from).resolve("libsql");
  } catch (cause) {
    throw new FrameworkError(
      "STORE_UNAVAILABLE",
      'A store of SQLite needs the package libsql: run "npm install libsql@0.5.29"',
      { cause },
    );
  }
  return from;
}
