// Appends to the audit log in PostgreSQL: one call of its function in flight (migrations.ts), which links
// all events that came while the one before it committed. The primary key `seq` refuses a fork of a writer
// that takes no lock.

import { AUDIT_APPEND, AUDIT_ROW, auditAppendOf } from "../sql/audit-columns.js";
import type { AuditAppend, AuditAppended, Row, Tables } from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { batchOf } from "./batch.js";
import { isOfData, type PostgresConnections } from "./postgres-connections.js";

export interface PostgresAuditOptions {
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  readonly connections: PostgresConnections;
}

interface Waiting {
  readonly append: AuditAppend;
  readonly resolve: (appended: AuditAppended) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresAudit {
  readonly #of: PostgresAuditOptions;
  readonly #append: string;
  #waiting: Waiting[] = [];
  #flying: Promise<void> | undefined;

  constructor(of: PostgresAuditOptions) {
    this.#of = of;
    const arrays = AUDIT_APPEND.map((_, at) => `$${at + 1}::text[]`);
    const columns = AUDIT_ROW.split(", ").map((name) => `(event).${name}`);
    this.#append = `SELECT is_new, ${columns} FROM ${auditAppendOf(of.tables.audit)}(${arrays})`;
  }

  append(append: AuditAppend): Promise<AuditAppended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#flying ??= this.#flyAll();
    });
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#flying !== undefined) await this.#flying;
  }

  async #flyAll(): Promise<void> {
    await new Promise((done) => setImmediate(done));
    while (this.#waiting.length > 0) {
      const { batch, later } = batchOf(
        this.#waiting,
        ({ append }) => append.before.length + append.metadata.length,
      );
      this.#waiting = later;
      await this.#fly(batch);
    }
    this.#flying = undefined;
  }

  async #fly(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#send(batch);
    } catch (error) {
      if (batch.length > 1 && isOfData(error)) for (const waiting of batch) await this.#fly([waiting]);
      else for (const { reject } of batch) reject(storeUnavailable(this.#of.shown, error));
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const values = AUDIT_APPEND.map((name) => batch.map(({ append }) => append[name]));
    const { rows } = await this.#of.connections.with((client) =>
      client.query({ name: "audit_append", text: this.#append, values }),
    );
    for (const [at, { resolve }] of batch.entries()) {
      const { is_new: isNew, ...row } = rows[at] as Row & { readonly is_new: unknown };
      resolve({ isNew: isNew === true, row: row as Row });
    }
  }
}
