import type { SqlDatabase, SqlValue } from "./sql-database.js";

export interface DeletedRows {
  readonly table: "session" | "idempotency" | "lock";
  /** A condition with the parameters $1, $2 ... The database's clock in it: as `(SELECT now)`, else no index serves. */
  readonly where: string;
  readonly values: readonly SqlValue[];
  readonly limit: number;
}

/**
 * Deletes at most `limit` rows, those that end first before others. Resolves to how many.
 * Rows that another transaction holds are left for the next call: two that wait for each other's
 * rows would deadlock.
 */
export async function deleteSome(
  { dialect, tables, write }: SqlDatabase,
  { table, where, values, limit }: DeletedRows,
): Promise<number> {
  const skipped = dialect.name === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
  // Evaluated once: as a plain subquery PostgreSQL may run it for each row, and delete more.
  const sql = `WITH ended AS MATERIALIZED (SELECT key FROM ${tables[table]} WHERE ${where}
      ORDER BY until LIMIT $${values.length + 1} ${skipped})
    DELETE FROM ${tables[table]} WHERE key IN (SELECT key FROM ended) RETURNING key`;
  const [rows] = (await write([{ sql, values: [...values, limit] }])) ?? [];
  return rows?.length ?? 0;
}

/** Counts calls that add a row, and begins a sweep with each hundredth from the first. */
export class SweepTurns {
  readonly #sweep: () => Promise<unknown>;
  #calls = 0;

  constructor(sweep: () => Promise<unknown>) {
    this.#sweep = sweep;
  }

  count(): void {
    // Not awaited, and a failure is not reported: a later sweep deletes these rows.
    if (this.#calls % 100 === 0) this.#sweep().catch(() => {});
    this.#calls += 1;
  }
}
