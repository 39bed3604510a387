// Erases the rows of one subject, one a transaction together with its count: after a kill the rest is
// erased, and no row is counted twice.
//
//   ER1. A row that something still works on is left and named: an unfinished run, a letter that is
//        re-driven, the key of a request in progress.

import { createHash } from "node:crypto";

import type { Codec } from "#core/ports/codec.js";
import type {
  ErasureCall,
  ErasureProgress,
  ErasureSink,
  ErasureSubject,
  ExportedValue,
  SinkErased,
} from "#core/ports/erasure.js";
import { deletedParts } from "../runs/run-rows.js";
import type { SqlRuns } from "../runs/sql-runs.js";
import { livingHosts } from "../sql/living-hosts.js";
import {
  answerPlace,
  entriesPlace,
  letterPlace,
  sessionPlace,
  subjectForms,
  subjectHash,
} from "../sql/places.js";
import { RUN_STATE } from "../sql/run-columns.js";
import type { Service } from "../sql/service.js";
import type { Row, SqlDatabase, SqlValue, Statement } from "../sql/sql-database.js";
import type { SqlRequests } from "../sql/sql-requests.js";
import { forgetTraces } from "./forget-traces.js";
import { subjectHashes } from "./subject-hashes.js";
import { POLL_MS, pause, Walk } from "./walk.js";

/** Rows that are read at once. */
const PAGE = 200;
const MAX_WALKS = 4;

/** A table with rows of subjects. */
interface SubjectTable {
  readonly name: string;
  readonly table: "run" | "letter" | "session" | "idempotency";
  readonly subject: "subject" | "owner";
  readonly key: "seq" | "key";
  /** Condition of a row on which nothing works. */
  readonly isFree: string;
  /** What is said of another. */
  readonly left: (row: Row) => string;
  /** What is deleted with a row. */
  readonly with?: (row: Row) => readonly Statement[];
  readonly values: (row: Row) => AsyncIterable<ExportedValue>;
}

export class SqlErasure implements ErasureProgress {
  readonly sinks: readonly ErasureSink[];
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: Service;
  readonly #runs: SqlRuns;

  constructor(database: SqlDatabase, codec: Codec, service: Service, runs: SqlRuns, requests: SqlRequests) {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    this.#runs = runs;
    this.sinks = [
      ...this.#tables().map(
        (of): ErasureSink => ({
          name: of.name,
          erase: (subject, call) => this.#erase(of, subject, call),
          count: (subject) => this.#count(of, subject),
          values: (subject) => this.#values(of, subject),
          ...(of.table === "session" && { issuers: () => this.#issuers() }),
        }),
      ),
      { name: "traces", erase: (_, call) => forgetTraces(database, service, requests, call), count: () => 0 },
    ];
  }

  readonly begin: ErasureProgress["begin"] = async (id, { hash }) => {
    const { erasure } = this.#database.tables;
    const key = await this.#service.keyOf(id);
    const own = createHash("sha256")
      .update(JSON.stringify([id, hash]))
      .digest("base64url");
    const [, rows] =
      (await this.#database.write([
        {
          sql: `INSERT INTO ${erasure} (id, sink, subject, erased, at) VALUES ($1, '', $2, 0, ${this.#database.dialect.now})
            ON CONFLICT (id, sink) DO NOTHING`,
          values: [key, own],
        },
        { sql: `SELECT subject FROM ${erasure} WHERE id = $1 AND sink = ''`, values: [key] },
      ])) ?? [];
    return rows?.[0]?.["subject"] === own;
  };

  readonly add: ErasureProgress["add"] = async (id, sink, erased) => {
    await this.#database.write([await this.#added(id, sink, erased)]);
  };

  readonly counts: ErasureProgress["counts"] = async (id) => {
    const sql = `SELECT sink, erased FROM ${this.#database.tables.erasure} WHERE id = $1 AND sink <> ''`;
    const rows = await this.#database.read(sql, [await this.#service.keyOf(id)]);
    return Object.fromEntries(rows.map(({ sink, erased }) => [String(sink), Number(erased)]));
  };

  /** Deletes the progress of requests that are older. */
  readonly forget = async (ageMs: number): Promise<void> => {
    const { dialect, tables } = this.#database;
    await this.#database.write([
      { sql: `DELETE FROM ${tables.erasure} WHERE at < ${dialect.now} - $1`, values: [ageMs] },
    ]);
  };

  async #added(id: string, sink: string, erased: number): Promise<Statement> {
    const { dialect, tables } = this.#database;
    return {
      sql: `INSERT INTO ${tables.erasure} (id, sink, subject, erased, at) VALUES ($1, $2, '', $3, ${dialect.now})
        ON CONFLICT (id, sink) DO UPDATE SET erased = ${tables.erasure}.erased + excluded.erased, at = excluded.at`,
      values: [await this.#service.keyOf(id), sink, erased],
    };
  }

  async #erase(of: SubjectTable, subject: ErasureSubject, call: ErasureCall): Promise<SinkErased> {
    if (of.table === "run" && call.cancelRuns) await this.#cancelRuns(of, subject, call);
    let erased = 0;
    for (let n = 1; ; n += 1) {
      const walk = new Walk();
      // A free row that is not deleted has changed meanwhile: a session that got another key.
      let hasChanged = false;
      for await (const row of this.#rows(of, subject)) {
        if (call.signal.aborted) break;
        call.goesOn();
        if (await this.#delete(of, row, call)) erased += 1;
        else walk.leave(of.left(row));
        hasChanged ||= Number(row["free"]) === 1;
      }
      if (!hasChanged || n === MAX_WALKS || call.signal.aborted)
        return { ...walk.result(), erased, isCounted: true };
    }
  }

  async #delete(of: SubjectTable, row: Row, { id }: ErasureCall): Promise<boolean> {
    const { table, subject, key, isFree, name } = of;
    const deleted = await this.#database.write([
      {
        // A key that was freed meanwhile may be of a request of another person.
        sql: `DELETE FROM ${this.#database.tables[table]} AS t
          WHERE t.${key} = $1 AND t.${subject} = $2 AND (${isFree}) RETURNING ${key}`,
        values: [row["place"] as SqlValue, row[subject] as SqlValue],
        must: true,
      },
      ...(of.with?.(row) ?? []),
      await this.#added(id, name, 1),
    ]);
    return deleted !== undefined;
  }

  /** Asks for the cancellation of each unfinished run, and waits until none is left or the time is over. */
  async #cancelRuns(of: SubjectTable, subject: ErasureSubject, call: ErasureCall): Promise<void> {
    const { by, reason, waitMs, clock, signal } = call;
    const until = clock.now() + waitMs;
    for await (const { id, free } of this.#rows(of, subject))
      if (Number(free) === 0)
        await this.#runs.requestCancel(id as string, {
          reason: `erasure: ${reason}`,
          actor: by,
          at: Date.now(),
        });
    while (!signal.aborted && clock.now() < until) {
      call.goesOn();
      let isOne = false;
      for await (const { free } of this.#rows(of, subject)) isOne ||= Number(free) === 0;
      if (!isOne) return;
      await pause(clock, POLL_MS);
    }
  }

  async #count(of: SubjectTable, subject: ErasureSubject): Promise<number> {
    const { table } = of;
    const where = await this.#whereOf(of, subject);
    const sql = `SELECT count(*) AS found FROM ${this.#database.tables[table]} t WHERE ${where.sql}`;
    const [row] = await this.#database.read(sql, where.values);
    return Number(row?.["found"]);
  }

  async *#rows(of: SubjectTable, subject: ErasureSubject): AsyncGenerator<Row> {
    const { table, key, isFree } = of;
    const where = await this.#whereOf(of, subject);
    let after: SqlValue | undefined;
    for (;;) {
      const beyond = after === undefined ? "" : `AND t.${key} > $4`;
      const rows = await this.#database.read(
        `SELECT t.*, t.${key} AS place, CASE WHEN ${isFree} THEN 1 ELSE 0 END AS free
          FROM ${this.#database.tables[table]} t WHERE ${where.sql} ${beyond} ORDER BY t.${key} LIMIT ${PAGE}`,
        [...where.values, ...(after === undefined ? [] : [after])],
      );
      yield* rows;
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.["place"];
    }
  }

  async *#values(of: SubjectTable, subject: ErasureSubject): AsyncGenerator<ExportedValue> {
    for await (const row of this.#rows(of, subject)) yield* of.values(row);
  }

  async #whereOf(
    { subject: column }: SubjectTable,
    subject: ErasureSubject,
  ): Promise<{ readonly sql: string; readonly values: readonly SqlValue[] }> {
    const own = await this.#service.own();
    return {
      sql: `t.${column} IN ${this.#database.dialect.listed("$1")} AND t.service IN ($2, $3)`,
      values: [
        JSON.stringify(subjectHashes(subject).flatMap((each) => subjectForms(this.#codec, each))),
        ...own,
      ],
    };
  }

  #tables(): readonly SubjectTable[] {
    const { dialect, tables } = this.#database;
    const { now } = dialect;
    const decoded = async (row: Row, text: string, keyId: string, place: ReturnType<typeof letterPlace>) =>
      this.#codec.decode(row[text] as string, row[keyId] as string | null, place);
    const shownOf = ({ id, service }: Row): string => this.#service.idOf(id as string, service as string);
    const requestsOf = (row: Row): Statement => ({
      sql: `DELETE FROM ${tables.request} WHERE target = $1 AND service = $2`,
      values: [shownOf(row), this.#service.name],
    });
    return [
      {
        ...{ name: "runs", table: "run", subject: "subject", key: "seq" },
        isFree: `t.state = ${RUN_STATE.ended}`,
        left: (row) => {
          const [shown, { state, host }] = [shownOf(row), row];
          if (Number(state) === RUN_STATE.stuck)
            return `run ${shown}: it is stuck; resume it, or cancel it by runs.cancel`;
          return `run ${shown}: it has not ended${host === null ? "" : `, host ${host}`}`;
        },
        with: (row) => [...deletedParts(tables, "= $1", [row["seq"] as SqlValue]), requestsOf(row)],
        values: (row) => this.#entries(row),
      },
      {
        ...{ name: "letters", table: "letter", subject: "subject", key: "seq" },
        isFree: `t.claimed_until <= ${now}`,
        left: (row) => `letter ${shownOf(row)}: it is being re-driven`,
        with: (row) => [requestsOf(row)],
        values: async function* (row) {
          const text = await decoded(row, "letter", "key_id", letterPlace(row["id"] as string));
          yield { place: "letter", id: shownOf(row), value: JSON.parse(text) };
        },
      },
      {
        ...{ name: "sessions", table: "session", subject: "owner", key: "key" },
        isFree: "1 = 1",
        left: () => "a session",
        values: (row) => this.#session(row),
      },
      {
        ...{ name: "idempotency keys", table: "idempotency", subject: "subject", key: "key" },
        isFree: `t.is_kept = 1 OR t.until <= ${now}
          OR (t.host IS NOT NULL AND t.host NOT IN (${livingHosts(this.#database)}))`,
        left: () => "the key of a request that has not ended",
        values: async function* (row) {
          const id = row["key"] as string;
          if (row["answer"] === null) return;
          const text = await decoded(row, "answer", "key_id", answerPlace(id));
          yield { place: "idempotency", id, value: JSON.parse(text) };
        },
      },
    ];
  }

  async *#entries({ seq, id, service }: Row): AsyncGenerator<ExportedValue> {
    const { run_part: part } = this.#database.tables;
    const shown = this.#service.idOf(id as string, service as string);
    const rows = await this.#database.read(
      `SELECT known, entries, key_id FROM ${part} WHERE run = $1 ORDER BY known`,
      [seq as SqlValue],
    );
    for (const { known, entries, key_id: keyId } of rows) {
      const place = entriesPlace(id as string, Number(known));
      const text = await this.#codec.decode(entries as string, keyId as string | null, place);
      for (const entry of JSON.parse(text)) yield { place: "run", id: shown, value: entry };
    }
    for (const { payload } of await this.#runs.waits.keptOf(id as string))
      yield { place: "signal", id: shown, value: payload };
  }

  async *#session(row: Row): AsyncGenerator<ExportedValue> {
    const owner = await subjectHash(this.#codec, row["owner"] as string);
    for (const [field, keyId] of [
      ["login", "key_id"],
      ["data", "data_key_id"],
    ] as const) {
      const place = sessionPlace(field, owner, Number(row["created_at"]));
      const text = await this.#codec.decode(row[field] as string, row[keyId] as string | null, place);
      const { csrfSecret: _, ...value } = JSON.parse(text) as Record<string, unknown>;
      yield {
        place: `session ${field}`,
        id: `created ${new Date(Number(row["created_at"])).toISOString()}`,
        value,
      };
    }
  }

  /** Of logins. A login that cannot be read names none. */
  async *#issuers(): AsyncGenerator<string> {
    const { session } = this.#database.tables;
    const own = await this.#service.own();
    const seen = new Set<string>();
    let after = "";
    for (;;) {
      const rows = await this.#database.read(
        `SELECT key, owner, created_at, login, key_id FROM ${session}
          WHERE owner IS NOT NULL AND service IN ($1, $2) AND key > $3 ORDER BY key LIMIT ${PAGE}`,
        [...own, after],
      );
      for (const row of rows) {
        const issuer = await this.#issuerOf(row).catch(() => undefined);
        if (issuer === undefined || seen.has(issuer)) continue;
        seen.add(issuer);
        yield issuer;
      }
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.["key"] as string;
    }
  }

  async #issuerOf({ owner, created_at: createdAt, login, key_id: keyId }: Row): Promise<string | undefined> {
    const place = sessionPlace("login", await subjectHash(this.#codec, owner as string), Number(createdAt));
    const text = await this.#codec.decode(login as string, keyId as string | null, place);
    return (JSON.parse(text) as { readonly identity: { readonly issuer?: string } }).identity.issuer;
  }
}
