// What waits for a person is kept for long, and not for ever: dead letters, and runs that are stuck or
// that no release fits.

import { deletedParts } from "./runs/run-rows.js";
import { RUN_STATE } from "./sql/run-columns.js";
import type { Service } from "./sql/service.js";
import type { SqlDatabase, SqlValue } from "./sql/sql-database.js";

/** Rows of a transaction: it holds up no append for long. */
const AT_ONCE = 500;

/**
 * Deletes letters of a service that failed last, and such runs whose log grew last, more than `ageMs`
 * ago. Resolves to how many.
 */
export async function deleteLeft(
  database: SqlDatabase,
  service: Service,
  ageMs: number,
  atOnce = AT_ONCE,
): Promise<number> {
  const values = [ageMs, atOnce, ...(await service.own())];
  const letters = await repeated(atOnce, () => deleteLetters(database, values));
  return letters + (await repeated(atOnce, () => deleteRuns(database, values)));
}

async function repeated(atOnce: number, some: () => Promise<number>): Promise<number> {
  let all = 0;
  for (let deleted = atOnce; deleted >= atOnce; all += deleted) deleted = await some();
  return all;
}

async function deleteLetters(
  { dialect, tables, write }: SqlDatabase,
  values: readonly SqlValue[],
): Promise<number> {
  // Rows that another transaction holds are left for the next time.
  const skipped = dialect.name === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
  const sql = `WITH old AS MATERIALIZED (SELECT seq FROM ${tables.letter}
      WHERE failed_at < (SELECT ${dialect.now} - $1) AND service IN ($3, $4)
      ORDER BY failed_at LIMIT $2 ${skipped})
    DELETE FROM ${tables.letter} WHERE seq IN (SELECT seq FROM old) RETURNING seq`;
  const [rows] = (await write([{ sql, values }])) ?? [];
  return rows?.length ?? 0;
}

/** A run that sleeps is unfit from its time on. One after another: a run that is resumed at this moment keeps its log. */
async function deleteRuns(
  { dialect, tables, read, write }: SqlDatabase,
  values: readonly SqlValue[],
): Promise<number> {
  const { run } = tables;
  const [ageMs] = values as readonly [SqlValue];
  const isLeft = `(state = ${RUN_STATE.stuck} OR (state = ${RUN_STATE.running} AND unfit IS NOT NULL))
    AND CASE WHEN due > at THEN due ELSE at END < (SELECT ${dialect.now} - $1)`;
  const found = await read(
    `SELECT seq FROM ${run} WHERE ${isLeft} AND service IN ($3, $4) ORDER BY seq LIMIT $2`,
    values,
  );
  for (const { seq } of found) {
    const of = seq as SqlValue;
    await write([
      {
        sql: `DELETE FROM ${run} WHERE ${isLeft} AND seq = $2 RETURNING seq`,
        values: [ageMs, of],
        must: true,
      },
      ...deletedParts(tables, "= $1", [of]),
    ]);
  }
  return found.length;
}
