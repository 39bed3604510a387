// Answers under idempotency keys, as rows. Time is the database's.
//
// If its clock is set back by d, keys of runs that died and kept answers last up to d longer. If it
// is set forward, keys are free early: a request that comes again meanwhile is run again.

import { randomUUID } from "node:crypto";

import type { Codec } from "#core/ports/codec.js";
import type { IdempotencyClaim, IdempotencyStore } from "#core/ports/idempotency-store.js";
import { answerIn, answerText } from "./answer-text.js";
import { livingHosts } from "./living-hosts.js";
import { answerPlace, subjectColumn } from "./places.js";
import type { Row, SqlDatabase, Statement } from "./sql-database.js";
import { deleteSome, SweepTurns } from "./sweeps.js";

/** Rows stay so long after their time: a run that ends late can still keep its answer. */
const LATE_MS = 3_600_000;

export class SqlIdempotency implements IdempotencyStore {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: string;
  readonly #sweeps = new SweepTurns(() => this.forget(200));

  constructor(database: SqlDatabase, codec: Codec, service = "") {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
  }

  readonly claim = async (
    key: string,
    fingerprint: string,
    leaseMs: number,
    subject?: string,
    host?: string,
  ): Promise<IdempotencyClaim> => {
    const { dialect, tables, read } = this.#database;
    const token = randomUUID();
    const { idempotency: t } = tables;
    const of = subject === undefined ? null : subjectColumn(this.#codec, subject);
    const living = livingHosts(this.#database);
    // A host without a lease would free its key for its own next request.
    const claim: Statement = {
      sql: `INSERT INTO ${t} (key, fingerprint, token, until, is_kept, subject, host, service)
        VALUES ($1, $2, $3, ${dialect.now} + $4, 0, $5, (${living} AND id = $6), $7)
        ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, token = excluded.token,
          until = excluded.until, subject = excluded.subject, host = excluded.host, is_kept = 0, answer = NULL,
          key_id = NULL
        WHERE ${t}.until <= ${dialect.now}
          OR (${t}.is_kept = 0 AND ${t}.host IS NOT NULL AND ${t}.host NOT IN (${living})) RETURNING token`,
      values: [key, fingerprint, token, Math.ceil(leaseMs), of, host ?? null, this.#service],
    };
    for (;;) {
      const [first] = (await this.#database.write([claim])) ?? [];
      if (first !== undefined && first.length > 0) {
        this.#sweeps.count();
        return { kind: "first", lease: { key, token } };
      }
      const [row] = await read(
        `SELECT fingerprint, is_kept, answer, key_id FROM ${tables.idempotency}
          WHERE key = $1 AND until > ${dialect.now}`,
        [key],
      );
      // Without a row the key became free in between.
      if (row !== undefined) return this.#claimOf(key, row);
    }
  };

  readonly keep: IdempotencyStore["keep"] = ({ key, token }, answer, ttlMs) => {
    const { dialect, tables } = this.#database;
    const { text, keyId } =
      answer === undefined
        ? { text: null, keyId: null }
        : this.#codec.encode(answerText(answer), answerPlace(key));
    return this.#changes({
      sql: `UPDATE ${tables.idempotency} SET until = ${dialect.now} + $3, is_kept = 1, answer = $4, key_id = $5
        WHERE key = $1 AND token = $2 AND is_kept = 0 RETURNING key`,
      values: [key, token, Math.ceil(ttlMs), text, keyId],
    });
  };

  readonly release: IdempotencyStore["release"] = ({ key, token }) =>
    this.#changes({
      sql: `DELETE FROM ${this.#database.tables.idempotency}
        WHERE key = $1 AND token = $2 AND is_kept = 0 RETURNING key`,
      values: [key, token],
    });

  /**
   * Deletes at most `limit` keys whose time was up an hour ago. Resolves to how many. Each hundredth
   * claim does so, too.
   */
  readonly forget = (limit: number): Promise<number> => {
    const where = `until <= (SELECT ${this.#database.dialect.now} - $1)`;
    return deleteSome(this.#database, { table: "idempotency", where, values: [LATE_MS], limit });
  };

  async #claimOf(key: string, row: Row): Promise<IdempotencyClaim> {
    const { fingerprint, is_kept: isKept, answer, key_id: keyId } = row;
    const known = { fingerprint: fingerprint as string };
    if (Number(isKept) === 0) return { kind: "running", ...known };
    if (answer === null) return { kind: "kept", ...known, answer: undefined };
    return {
      ...{ kind: "kept", ...known },
      answer: answerIn(await this.#codec.decode(answer as string, keyId as string | null, answerPlace(key))),
    };
  }

  async #changes(statement: Statement): Promise<boolean> {
    const [changed] = (await this.#database.write([statement])) ?? [];
    return (changed?.length ?? 0) > 0;
  }
}
