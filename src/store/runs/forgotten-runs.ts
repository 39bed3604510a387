// Deletes ended runs in batches. They are found before the transaction, which is the shorter for it.

import type { RunChoice } from "#core/ports/run-list.js";
import { OUTCOMES, RUN_STATE } from "../sql/run-columns.js";
import type { Service } from "../sql/service.js";
import type { SqlDatabase, SqlValue, Statement } from "../sql/sql-database.js";
import { deletedParts } from "./run-rows.js";

/** A run may have begun by a clock that is so much ahead of the store's. */
const CLOCK_MS = 3_600_000;
/** Runs of a transaction, which holds the lock of a file of SQLite. */
const AT_ONCE = 200;

export interface Forgetting {
  /** Those that ended before this time, or longer ago than this by the clock of the store. */
  readonly before: number;
  readonly ageMs: number | undefined;
  readonly limit: number;
  readonly which: RunChoice;
}

export async function forgetRuns(
  database: SqlDatabase,
  service: Service,
  forgetting: Forgetting,
): Promise<number> {
  const { dialect, tables, write } = database;
  const { before, ageMs, limit } = forgetting;
  const until = ageMs === undefined ? "$1" : `${dialect.now} - $1`;
  const isOld = `state = ${RUN_STATE.ended} AND at < ${until}`;
  const { sql, values } = foundBy(database, forgetting, until, await service.own());
  const found = await database.read(sql, values);
  let forgotten = 0;
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const seqs = found.slice(at, at + AT_ONCE).map(({ seq }) => seq);
    const given = [ageMs ?? before, JSON.stringify(seqs)];
    const some = dialect.name === "postgres" ? inOne(database, isOld, given) : inTurn(database, isOld, given);
    forgotten += (await write(some))?.at(-1)?.length ?? 0;
  }
  // A host without a row is one whose lease is over. That it left is known as long as runs name it.
  const isNamed = `SELECT 1 FROM ${tables.run} r WHERE r.host = ${tables.host}.id AND r.state < ${RUN_STATE.ended}`;
  const hosts = `DELETE FROM ${tables.host} WHERE until < ${dialect.now} AND NOT EXISTS (${isNamed})`;
  if (found.length < limit) await write([{ sql: hosts, values: [] }]);
  return forgotten;
}

/** By the index of the times at which runs ended, or by that of their Axons, in which nothing younger is read. */
function foundBy(
  { dialect, tables }: SqlDatabase,
  { before, ageMs, limit, which: { axons, not, outcome } }: Forgetting,
  until: string,
  own: readonly [string, string],
): Statement {
  const values: SqlValue[] = [ageMs ?? before, limit, ...own];
  const listed = (names: readonly string[]): string =>
    dialect.listed(`$${values.push(JSON.stringify(names))}`);
  const failed = OUTCOMES.indexOf("failed");
  const where = [
    `state = ${RUN_STATE.ended} AND at < ${until} AND service IN ($3, $4)`,
    ...(outcome === "failed" ? [`outcome = ${failed}`] : []),
    ...(outcome === "completed" ? [`(outcome IS NULL OR outcome <> ${failed})`] : []),
    ...(not === undefined ? [] : [`axon NOT IN ${listed(not)}`]),
    ...(axons === undefined ? [] : [`axon IN ${listed(axons)} AND began_at < ${until} + ${CLOCK_MS}`]),
  ];
  return {
    sql: `SELECT seq FROM ${tables.run} WHERE ${where.join(" AND ")} ORDER BY at, seq LIMIT $2`,
    values,
  };
}

/** PostgreSQL: rows that another transaction holds are left for the next time. */
function inOne(
  { dialect, tables }: SqlDatabase,
  isOld: string,
  values: readonly SqlValue[],
): readonly Statement[] {
  const parts = deletedParts(tables, "IN (SELECT seq FROM old)", []);
  return [
    {
      sql: `WITH old AS MATERIALIZED (SELECT seq FROM ${tables.run}
          WHERE seq = ANY (ARRAY(SELECT CAST(n AS bigint) FROM ${dialect.listed("$2")} AS listed (n)))
            AND ${isOld} FOR UPDATE SKIP LOCKED),
        ${parts.map(({ sql }, at) => `part${at} AS (${sql})`).join(", ")}
        DELETE FROM ${tables.run} WHERE seq IN (SELECT seq FROM old) RETURNING seq`,
      values,
    },
  ];
}

/** SQLite: nothing else writes meanwhile. */
function inTurn(
  { dialect, tables }: SqlDatabase,
  isOld: string,
  values: readonly SqlValue[],
): readonly Statement[] {
  const old = `seq IN ${dialect.listed("$2")} AND ${isOld}`;
  return [
    ...deletedParts(tables, `IN (SELECT seq FROM ${tables.run} WHERE ${old})`, values),
    { sql: `DELETE FROM ${tables.run} WHERE ${old} RETURNING seq`, values },
  ];
}
