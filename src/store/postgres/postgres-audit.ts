// Appends to the audit log in PostgreSQL: one transaction in flight, which links all appends that
// came while the one before it committed. An advisory lock makes writers of all processes take
// turns; the primary key `seq` refuses a fork of a writer that takes no lock.

import { hash as digest } from "node:crypto";
import type * as Pg from "pg";

import { NO_HASH } from "#core/ports/audit-event.js";
import { AUDIT_COLUMNS, AUDIT_ROW, auditSql } from "../sql/audit-columns.js";
import type { AuditAppend, AuditAppended, Row, Tables } from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { isOfData } from "./postgres-appends.js";

export interface PostgresAuditOptions {
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  readonly connection: () => Promise<Pg.PoolClient>;
}

/** Maximum number of appends of a transaction. */
const MAX_BATCH = 500;

interface Waiting {
  readonly append: AuditAppend;
  readonly resolve: (appended: AuditAppended) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresAudit {
  readonly #of: PostgresAuditOptions;
  readonly #begin: string;
  readonly #known: string;
  readonly #insert: string;
  #waiting: Waiting[] = [];
  #flying: Promise<void> | undefined;

  constructor(of: PostgresAuditOptions) {
    this.#of = of;
    const { audit } = of.tables;
    // In a stricter isolation the head would be that of before the lock. Names of tables have no quotation mark.
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(hashtextextended('${audit}', 0))`;
    this.#known = `SELECT ${AUDIT_ROW} FROM ${audit} WHERE id = ANY($1::text[])
      UNION SELECT ${AUDIT_ROW} FROM (${auditSql(of.tables).head.replace("seq, hash", AUDIT_ROW)}) AS head`;
    const arrays = AUDIT_ROW.split(", ").map(
      (name, at) => `$${at + 1}::${name === "seq" ? "bigint" : "text"}[]`,
    );
    this.#insert = `INSERT INTO ${audit} (${AUDIT_ROW}) SELECT * FROM unnest(${arrays.join(", ")})`;
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
    while (this.#waiting.length > 0) await this.#fly(this.#waiting.splice(0, MAX_BATCH));
    this.#flying = undefined;
  }

  async #fly(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#transact(batch);
    } catch (error) {
      if (batch.length > 1 && isOfData(error)) for (const waiting of batch) await this.#fly([waiting]);
      else for (const { reject } of batch) reject(storeUnavailable(this.#of.shown, error));
    }
  }

  async #transact(batch: readonly Waiting[]): Promise<void> {
    const client = await this.#of.connection();
    let broken: Error | undefined;
    try {
      await client.query(this.#begin);
      const ids = batch.map(({ append }) => append.id);
      const { rows } = await client.query({ name: "audit_known", text: this.#known, values: [ids] });
      const { made, settled } = linkedAll(batch, rows as Row[]);
      if (made.length > 0)
        await client.query({
          ...{ name: "audit_insert", text: this.#insert },
          values: AUDIT_ROW.split(", ").map((name) => made.map((row) => row[name])),
        });
      await client.query("COMMIT");
      for (const settle of settled) settle();
    } catch (error) {
      await client.query("ROLLBACK").catch((failed: Error) => {
        broken = failed;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Rows that are new, and what tells each append of its row once they are kept. */
function linkedAll(
  batch: readonly Waiting[],
  known: readonly Row[],
): { readonly made: readonly Row[]; readonly settled: readonly (() => void)[] } {
  const byId = new Map(known.map((row) => [row["id"], row]));
  const head = known.reduce<Row | undefined>(
    (newest, row) => (newest === undefined || Number(row["seq"]) > Number(newest["seq"]) ? row : newest),
    undefined,
  );
  let seq = Number(head?.["seq"] ?? 0);
  let previous = String(head?.["hash"] ?? NO_HASH);
  const made: Row[] = [];
  const settled = batch.map(({ append, resolve }) => {
    const kept = byId.get(append.id);
    if (kept !== undefined) return () => resolve({ isNew: false, row: kept });
    const hash = digest("sha256", `${append.before}${previous}${append.behind}`);
    seq += 1;
    const columns = Object.fromEntries(AUDIT_COLUMNS.map((name) => [name, append[name]]));
    const row: Row = { ...columns, seq, prev_hash: previous, hash };
    previous = hash;
    made.push(row);
    byId.set(append.id, row);
    return () => resolve({ isNew: true, row });
  });
  return { made, settled };
}
