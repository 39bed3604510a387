// The audit log as rows: a column for each member of an event, and no copy of one that could differ.

import { AppendLimit } from "#audit/event/append-limit.js";
import { readRow, requireReadable } from "#audit/event/audit-row.js";
import { checkedQuery } from "#audit/event/query-match.js";
import { isPseudonymText } from "#audit/event/sealed-text.js";
import { asked, sameEvent, type UnlinkedEvent, unlinkedEvent } from "#audit/event/unlinked-event.js";
import type { AuditEntry, PlacedAuditEvent } from "#core/ports/audit-event.js";
import type {
  AuditCheckpoints,
  AuditQuery,
  AuditRow,
  AuditSink,
  KeptCheckpoint,
} from "#core/ports/audit-sink.js";
import { auditRead } from "./audit-columns.js";
import { auditDefects } from "./audit-table.js";
import type { Row, SqlDatabase, SqlValue } from "./sql-database.js";

/** Rows of a page: with 64 KiB each it is 6 MB. */
const PAGE = 100;

export class SqlAudit implements AuditSink {
  readonly shown: string;
  readonly checkpoints: AuditCheckpoints;
  readonly close: AuditSink["close"];
  readonly #database: SqlDatabase;
  readonly #limit: AppendLimit;
  readonly #read: string;

  /** `close` is called when the sink is closed: where no store closes the database. */
  constructor(database: SqlDatabase, shown: string, close = async (): Promise<void> => {}) {
    this.#database = database;
    this.shown = shown;
    this.#limit = new AppendLimit(shown);
    this.#read = auditRead(database.dialect.name);
    this.checkpoints = new SqlCheckpoints(database);
    this.close = close;
  }

  readonly append = (entry: AuditEntry): Promise<PlacedAuditEvent> =>
    this.#limit.within(() => this.#append(unlinkedEvent(entry)));

  async #append(unlinked: UnlinkedEvent): Promise<PlacedAuditEvent> {
    const { event, metadata, before, behind } = unlinked;
    const { id, timestamp: at, actor, action, target, intent = null } = event;
    const { isNew, row } = await this.#database.appendAudit({
      ...{ id, at, actor, action, target, intent, metadata: metadata.text, before, behind },
    });
    if (isNew) {
      const { seq, prev_hash, hash } = row as {
        readonly seq: number;
        readonly prev_hash: string;
        readonly hash: string;
      };
      return { position: seq, event: { ...event, prev_hash, hash } };
    }
    return sameEvent(requireReadable(this.shown, rowOf(row)), unlinked);
  }

  readonly defects = (): Promise<readonly string[]> => auditDefects(this.#database);

  async *rows(from = Number.MIN_SAFE_INTEGER): AsyncGenerator<AuditRow> {
    const { audit } = this.#database.tables;
    let count = 0;
    let last = 0;
    for await (const row of this.#inOrder(from)) {
      yield row;
      count += 1;
      last = row.position;
    }
    if (from !== Number.MIN_SAFE_INTEGER) return;
    // Rows without a position, or with one that another row has, are in no page.
    // An index may lack rows.
    const whole = this.#database.dialect.name === "sqlite" ? `${audit} NOT INDEXED` : audit;
    const sql = `SELECT count(*) AS rows FROM ${whole} WHERE seq IS NULL OR NOT seq > $1`;
    const [counted] = await this.#database.read(sql, [Number.isSafeInteger(last) ? last : 0]);
    const more = Number(counted?.["rows"]) - count;
    if (more > 0)
      yield { position: 0, unreadable: `${more} rows have no position, or the one of another row` };
  }

  async *#inOrder(from: number): AsyncGenerator<AuditRow> {
    const { audit } = this.#database.tables;
    const sql = `SELECT ${this.#read} FROM ${audit} WHERE seq >= $1 ORDER BY seq LIMIT ${PAGE}`;
    let next = from;
    for (;;) {
      const rows = await this.#database.read(sql, [next]);
      for (const row of rows) yield rowOf(row);
      const last = Number(rows.at(-1)?.["seq"]);
      // Forged positions beyond 2^53 are read inexactly, and could be read again and again.
      if (rows.length < PAGE || last < next || !Number.isSafeInteger(last)) return;
      next = last + 1;
    }
  }

  readonly head = async (): Promise<AuditRow | undefined> => {
    const { audit } = this.#database.tables;
    return this.#one(`SELECT ${this.#read} FROM ${audit} ORDER BY seq DESC LIMIT 1`, []);
  };

  readonly find = (id: string): Promise<AuditRow | undefined> =>
    this.#one(`SELECT ${this.#read} FROM ${this.#database.tables.audit} WHERE id = $1`, [asked("id", id)]);

  readonly query = async (query: AuditQuery = {}): Promise<readonly AuditRow[]> => {
    const { limit, newestFirst = false, ...checked } = checkedQuery(query);
    const values: SqlValue[] = [];
    const where = CONDITIONS.flatMap(([name, condition]) => {
      const value = checked[name];
      if (value === undefined) return [];
      const parameter = `$${values.push(value)}`;
      // Sealed texts: between "sealed:1:PSEUDONYM:" and what follows all of them.
      if ((name === "actor" || name === "target") && isPseudonymText(String(value)))
        return [`(${name} >= ${parameter} || ':' AND ${name} < ${parameter} || ';')`];
      return [`${condition} ${parameter}`];
    });
    const rows = await this.#database.read(
      `SELECT ${this.#read} FROM ${this.#database.tables.audit}
        ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}
        ORDER BY seq${newestFirst ? " DESC" : ""} LIMIT $${values.push(limit)}`,
      values,
    );
    return rows.map(placed);
  };

  readonly remove = async (through: number, limit: number): Promise<number> => {
    const { audit } = this.#database.tables;
    const oldest = `SELECT seq FROM ${audit} WHERE seq <= $1 AND seq < (SELECT max(seq) FROM ${audit}) ORDER BY seq LIMIT $2`;
    const sql = `DELETE FROM ${audit} WHERE seq IN (${oldest}) RETURNING seq`;
    const [removed] = (await this.#database.write([{ sql, values: [through, limit] }])) ?? [];
    return removed?.length ?? 0;
  };

  async #one(sql: string, values: readonly SqlValue[]): Promise<AuditRow | undefined> {
    const [row] = await this.#database.read(sql, values);
    return row && placed(row);
  }
}

/** A row that has no place in a log is no event, whatever it says. */
function placed(row: Row): AuditRow {
  const read = rowOf(row);
  const { position } = read;
  return Number.isSafeInteger(position) && position >= 1 && row["seq"] !== null
    ? read
    : { position, unreadable: "it has no position in the log" };
}

const CONDITIONS = [
  ["actor", "actor ="],
  ["action", "action ="],
  ["target", "target ="],
  ["since", "at >="],
  ["until", "at <"],
  ["after", "seq >"],
  ["before", "seq <"],
] as const;

const rowOf = ({ seq, at, intent, metadata, nul = 0, ...texts }: Row): AuditRow =>
  Number(nul) > 0
    ? { position: Number(seq), unreadable: "a text of it goes on behind a NUL" }
    : readRow(Number(seq), { ...texts, timestamp: at, ...(intent !== null && { intent }) }, metadata);

class SqlCheckpoints implements AuditCheckpoints {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  readonly put = async ({ number, text }: KeptCheckpoint): Promise<boolean> => {
    const sql = `INSERT INTO ${this.#table} (number, checkpoint) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING RETURNING number`;
    const [put] = (await this.#database.write([{ sql, values: [number, text] }])) ?? [];
    return (put?.length ?? 0) > 0;
  };

  readonly newest = async (): Promise<KeptCheckpoint | undefined> => {
    const sql = `SELECT number, checkpoint FROM ${this.#table} ORDER BY number DESC LIMIT 1`;
    const [row] = await this.#database.read(sql, []);
    return row && checkpointOf(row);
  };

  readonly list = async (after: number, limit: number): Promise<readonly KeptCheckpoint[]> => {
    const sql = `SELECT number, checkpoint FROM ${this.#table} WHERE number > $1 ORDER BY number LIMIT $2`;
    return (await this.#database.read(sql, [after, limit])).map(checkpointOf);
  };

  get #table(): string {
    return this.#database.tables.audit_checkpoint;
  }
}

const checkpointOf = ({ number, checkpoint }: Row): KeptCheckpoint => ({
  number: Number(number),
  text: String(checkpoint),
});
