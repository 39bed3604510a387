// Appends to logs in PostgreSQL: one statement in flight. Those that come meanwhile go with the next
// one, without a timer: one of 1 ms cost a third.
//
//   PG1. A statement has one append of a run at most, ordered by id: two processes that append to
//        the same runs cannot deadlock.
//   PG2. If a statement fails for its data, each of its appends runs alone: a bad one fails alone.
//   PG3. A statement has 4 MB of entries at most, or those of one append: what is large goes alone, without arrays.

import type { QueryConfig } from "pg";

import { APPEND_PARAMETERS, begunColumns, grownColumns } from "../sql/run-columns.js";
import type { Append, Appended, SqlDialect, SqlValue, Tables } from "../sql/sql-database.js";
import { storeUnavailable } from "../sql/store-errors.js";
import { isDue } from "../sql/wait-columns.js";
import { batchOf } from "./batch.js";
import { isOfData, type OwnConnection } from "./postgres-connections.js";

export interface PostgresAppendsOptions {
  /** The URL without its password. */
  readonly shown: string;
  readonly tables: Tables;
  readonly dialect: Pick<SqlDialect, "now" | "listed">;
  readonly connection: OwnConnection;
}

interface AppendedRow {
  readonly id: string;
  readonly cancel: string | null;
  readonly is_due: number;
}

interface Waiting {
  readonly append: Append;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

export class PostgresAppends {
  readonly #of: PostgresAppendsOptions;
  /** Those with labels are sent if a run of the batch sets some, or begins anew: others have no cost of them. */
  readonly #sql;
  #waiting: Waiting[] = [];
  #flying: Promise<void> | undefined;

  constructor(of: PostgresAppendsOptions) {
    this.#of = of;
    this.#sql = {
      append: appendSql(of, unnested, APPEND_PARAMETERS),
      append_one: appendSql(of, single, APPEND_PARAMETERS),
      append_labelled: appendSql(of, unnested, LABELLED),
      append_one_labelled: appendSql(of, single, LABELLED),
    };
  }

  append(append: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      this.#flying ??= this.#flyAll();
    });
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#flying !== undefined) await this.#flying;
  }

  /** Until nothing waits: what comes of a turn goes together. */
  async #flyAll(): Promise<void> {
    await new Promise((done) => setImmediate(done));
    while (this.#waiting.length > 0) await this.#flyOnce();
    this.#flying = undefined;
  }

  async #flyOnce(): Promise<void> {
    const { batch, later } = batchOf(
      this.#waiting,
      ({ append }) => append.entries.length,
      ({ append }) => append.id,
    );
    this.#waiting = later;
    const sorted = batch.sort((a, b) => (a.append.id < b.append.id ? -1 : 1));
    try {
      await this.#send(sorted);
    } catch (error) {
      if (sorted.length === 1 || !isOfData(error)) {
        for (const { reject } of sorted) reject(storeUnavailable(this.#of.shown, error));
        return;
      }
      for (const waiting of sorted)
        await this.#send([waiting]).catch((failed) =>
          waiting.reject(storeUnavailable(this.#of.shown, failed)),
        );
    }
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const { rows } = await this.#of.connection.query(this.#queryOf(batch));
    const appended = new Map(
      rows.map(({ id, cancel, is_due }: AppendedRow) => [id, { cancel, isDue: is_due === 1 }]),
    );
    for (const { append, resolve } of batch) resolve(appended.get(append.id) ?? false);
  }

  #queryOf(batch: readonly Waiting[]): QueryConfig {
    const isLabelled = batch.some(
      ({ append: { labels, replaces } }) => labels !== undefined || replaces === true,
    );
    const rows = batch.map(({ append }) => valuesOf(append, isLabelled));
    const [one, ...more] = rows;
    const name = `append${more.length === 0 ? "_one" : ""}${isLabelled ? "_labelled" : ""}` as const;
    const values = more.length === 0 ? one : one?.map((_, at) => rows.map((row) => row[at]));
    return { name, text: this.#sql[name], values: [...(values ?? [])] };
  }
}

const valuesOf = (
  { columns, known, entries, keyId, labels, replaces }: Append,
  isLabelled: boolean,
): readonly SqlValue[] => [
  ...columns,
  ...[known, entries, keyId],
  ...(isLabelled
    ? [labels === undefined ? null : JSON.stringify(labels), replaces === true ? known : 0]
    : []),
];

type Parameters = typeof APPEND_PARAMETERS;

const unnested = (parameters: Parameters): string => {
  const arrays = parameters.map(({ type }, at) => `$${at + 1}::${type}[]`);
  return `SELECT * FROM unnest(${arrays}) AS a (${parameters.map(({ name }) => name)})`;
};

const single = (parameters: Parameters): string =>
  `SELECT ${parameters.map(({ name, type }, at) => `$${at + 1}::${type} AS ${name}`)}`;

const LABELLED: Parameters = [
  ...APPEND_PARAMETERS,
  { name: "labels", type: "text" },
  { name: "replaced", type: "bigint" },
];

/** Begins logs and extends logs in one statement. Returns the ids of those that it did, and the requests to cancel them. */
function appendSql(
  { tables, dialect }: PostgresAppendsOptions,
  rows: (parameters: Parameters) => string,
  parameters: Parameters,
): string {
  const { run, run_part: part, run_label: label } = tables;
  const labelled = `, labelled AS (INSERT INTO ${label} (run, name, term, kept)
      SELECT appended.seq, l.name, l.term, l.kept FROM appended JOIN a USING (id),
        json_to_recordset(CAST(a.labels AS json)) AS l (name text, term text, kept text)
      ON CONFLICT (run, name) DO UPDATE SET term = excluded.term, kept = excluded.kept),
    replaced AS (DELETE FROM ${part} p USING appended JOIN a USING (id)
      WHERE p.run = appended.seq AND p.known < a.replaced)`;
  const { now } = dialect;
  const begun = begunColumns((name) => name, now);
  return `WITH a AS (${rows(parameters)}),
    begun AS (INSERT INTO ${run} (${begun.columns}) SELECT ${begun.values} FROM a WHERE at_known = 0
      ON CONFLICT (id) DO NOTHING RETURNING id, seq, cancel, ${isDue("due", now)}),
    extended AS (UPDATE ${run} r SET ${grownColumns("r", (name) => `a.${name}`, dialect)}
      FROM a WHERE a.at_known > 0 AND r.id = a.id AND r.known = a.at_known RETURNING r.id, r.seq, r.cancel, ${isDue("r.due", now)}),
    appended AS (SELECT * FROM begun UNION ALL SELECT * FROM extended),
    part AS (INSERT INTO ${part} (run, known, entries, key_id)
      SELECT appended.seq, a.at_known, a.entries, a.key_id FROM appended JOIN a USING (id))${parameters === LABELLED ? labelled : ""}
    SELECT id, cancel, is_due FROM appended`;
}
