import type { RunEntry, RunFilter, RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { Codec } from "./codec.js";
import { columnValues, RUN_STATE } from "./run-columns.js";
import type { Row, SqlDatabase, SqlValue } from "./sql-database.js";

/** Logs of runs in a database: one row a run, one more for each append. */
export class SqlRuns implements RunStore {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;

  constructor(database: SqlDatabase, codec: Codec) {
    this.#database = database;
    this.#codec = codec;
  }

  readonly append: RunStore["append"] = async (id, known, entries, by) => {
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return (await this.#knownOf(id)) === known;
    if (known === 0 && first.kind !== "begun") {
      if ((await this.#knownOf(id)) > 0) return false;
      throw new TypeError(`The log of run '${id}' begins with '${first.kind}'`);
    }
    const text = JSON.stringify(entries);
    const encoded = this.#codec.encode(text);
    const isAppended = await this.#database.append({
      ...{ id, known, entries: encoded.text, keyId: encoded.keyId },
      columns: columnValues({ id, first, last, entries, by }),
    });
    return isAppended || (by !== undefined && this.#isLast(id, known, entries.length, text, by));
  };

  readonly read: RunStore["read"] = async (id) => {
    const { run, run_part: part } = this.#database.tables;
    const rows = await this.#database.read(
      `SELECT p.entries, p.key_id FROM ${part} p JOIN ${run} r ON r.seq = p.run WHERE r.id = $1 ORDER BY p.known`,
      [id],
    );
    return rows.flatMap((row) => JSON.parse(this.#textOf(row)) as RunEntry[]);
  };

  readonly unfinished: RunStore["unfinished"] = async (filter = {}) => {
    const { sql, values } = this.#unfinishedWhere(filter);
    const rows = await this.#database.read(sql, values);
    return rows.map(unfinishedOf);
  };

  readonly remove: RunStore["remove"] = async (id) => {
    const { run, run_part: part } = this.#database.tables;
    const [, removed] =
      (await this.#database.write([
        { sql: `DELETE FROM ${part} WHERE run = (SELECT seq FROM ${run} WHERE id = $1)`, values: [id] },
        { sql: `DELETE FROM ${run} WHERE id = $1 RETURNING seq`, values: [id] },
      ])) ?? [];
    return (removed?.length ?? 0) > 0;
  };

  readonly forget: RunStore["forget"] = async (before, limit) => {
    const { run, run_part: part, host } = this.#database.tables;
    const ended = `SELECT seq FROM ${run} WHERE state = ${RUN_STATE.ended} AND at < $1 ORDER BY at, seq LIMIT $2`;
    const values = [before, limit];
    const [, forgotten] =
      (await this.#database.write([
        { sql: `DELETE FROM ${part} WHERE run IN (${ended})`, values },
        { sql: `DELETE FROM ${run} WHERE seq IN (${ended}) RETURNING seq`, values },
        // A host without a row is one whose lease is over.
        { sql: `DELETE FROM ${host} WHERE until < ${this.#database.dialect.now}`, values: [] },
      ])) ?? [];
    return forgotten?.length ?? 0;
  };

  readonly beat: RunStore["beat"] = async (host, ttlMs) => {
    const { dialect, tables } = this.#database;
    await this.#database.lease({
      sql: `INSERT INTO ${tables.host} (id, until, ttl) VALUES ($1, ${dialect.now} + $2, $2)
        ON CONFLICT (id) DO UPDATE SET until = excluded.until, ttl = excluded.ttl`,
      values: [host, ttlMs],
    });
  };

  readonly leave: RunStore["leave"] = async (host) => {
    await this.#database.write([
      { sql: `DELETE FROM ${this.#database.tables.host} WHERE id = $1`, values: [host] },
    ]);
  };

  async #knownOf(id: string): Promise<number> {
    const [row] = await this.#database.read(`SELECT known FROM ${this.#database.tables.run} WHERE id = $1`, [
      id,
    ]);
    return Number(row?.["known"] ?? 0);
  }

  /** Whether the append was kept although its caller saw it fail. */
  async #isLast(id: string, known: number, count: number, text: string, by: string): Promise<boolean> {
    const { run, run_part: part } = this.#database.tables;
    const [row] = await this.#database.read(
      `SELECT p.entries, p.key_id FROM ${run} r JOIN ${part} p ON p.run = r.seq AND p.known = $2
        WHERE r.id = $1 AND r.known = $3 AND r.host = $4`,
      [id, known, known + count, by],
    );
    return row !== undefined && this.#textOf(row) === text;
  }

  #unfinishedWhere({ axon, axons, of, abandoned, limit = 100 }: RunFilter): {
    readonly sql: string;
    readonly values: readonly SqlValue[];
  } {
    const { dialect, tables } = this.#database;
    const values: SqlValue[] = [];
    const given = (value: SqlValue): string => `$${values.push(value)}`;
    const where = [`r.state < ${RUN_STATE.ended}`];
    if (axon !== undefined) where.push(`r.axon = ${given(axon)}`);
    if (axons !== undefined) {
      const each = axons.map(
        ({ name, versions }) =>
          `(r.axon = ${given(name)} AND r.version IN ${dialect.listed(given(JSON.stringify(versions)))})`,
      );
      where.push(each.length === 0 ? "1 = 0" : `(${each.join(" OR ")})`);
    }
    if (of !== undefined) where.push(`r.host = ${given(of)}`);
    if (abandoned === true) {
      where.push(`r.state = ${RUN_STATE.running}`, `r.retry_at <= ${dialect.now}`, "r.host IS NOT NULL");
      // A lease that began in the future is of a clock that was set back since: it is over.
      where.push(`NOT EXISTS (SELECT 1 FROM ${tables.host} h WHERE h.id = r.host
        AND h.until > ${dialect.now} AND h.until - 2 * h.ttl <= ${dialect.now})`);
    }
    const columns = "r.id, r.axon, r.version, r.began_at, r.at, r.known, r.trace, r.host, r.state";
    const sql = `SELECT ${columns} FROM ${tables.run} r WHERE ${where.join(" AND ")} ORDER BY r.seq LIMIT ${given(limit)}`;
    return { sql, values };
  }

  #textOf(row: Row): string {
    return this.#codec.decode(row["entries"] as string, row["key_id"] as string | null);
  }
}

function unfinishedOf(row: Row): UnfinishedRun {
  const { id, axon, version, began_at, at, known, trace, host, state } = row as Readonly<
    Record<string, string>
  >;
  return {
    ...{ id: id as string, axon: axon as string, version: version as string },
    ...{ began_at: Number(began_at), at: Number(at), entries: Number(known) },
    ...(trace !== null && { trace: JSON.parse(trace as string) as TraceMark }),
    ...(host !== null && { host: host as string }),
    ...(Number(state) === RUN_STATE.stuck && { stuck: true }),
  };
}
