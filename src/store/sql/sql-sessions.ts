// Sessions as rows. A row without an owner is a key that another one replaced; `until` says how long
// that is known, and of a session when it ends unless it is touched. Never full: the disk is the bound.
//
// A rotation changes the key of the session's row. `destroyAll` on PostgreSQL waits for such a row and
// deletes it under its new key; rows that a `create` is about to add it does not see, and waits for
// those transactions instead (`serialized`).

import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { Codec, EncodedText } from "#core/ports/codec.js";
import {
  REPLACED_MS,
  type RotatedParts,
  type SessionData,
  type SessionFound,
  type SessionOrigin,
  type SessionRecord,
  type SessionStore,
} from "#core/ports/session-store.js";
import { sessionPlace, subjectColumn, subjectForms, subjectHash } from "./places.js";
import { Service } from "./service.js";
import type { Row, SqlDatabase, SqlValue, Statement } from "./sql-database.js";
import { deleteSome } from "./sweeps.js";

const COLUMNS = "owner, until, created_at, expires_at, version, login, key_id, data, data_key_id";
const IS_LIVE = "owner IS NOT NULL AND until >";

export class SqlSessions implements SessionStore {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #session: string;
  readonly #service: Service;

  constructor(database: SqlDatabase, codec: Codec, service = new Service(database)) {
    this.#service = service;
    this.#database = database;
    this.#codec = codec;
    this.#session = database.tables.session;
  }

  readonly create = async (
    key: string,
    record: SessionRecord,
    now: number,
    replaces?: string,
  ): Promise<"created"> => {
    const { owner, createdAt, version } = record;
    // The end of a token may have a fraction, a bigint has none.
    const [expiresAt, idleUntil] = [Math.floor(record.expiresAt), Math.floor(record.idleUntil)];
    const login = this.#loginOf(record);
    const data = this.#dataOf(record.data, record);
    const replaced: Statement = {
      sql: `UPDATE ${this.#session} SET owner = NULL, until = $2, login = NULL, key_id = NULL, data = NULL,
        data_key_id = NULL WHERE key = $1 AND owner IS NOT NULL`,
      values: [replaces ?? null, now + REPLACED_MS],
    };
    await this.#database.write([
      ...this.#waitsFor(owner),
      ...(replaces === undefined ? [] : [replaced]),
      {
        sql: `INSERT INTO ${this.#session} (key, ${COLUMNS}, service)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        values: [
          ...[
            key,
            subjectColumn(this.#codec, owner),
            Math.min(idleUntil, expiresAt),
            createdAt,
            expiresAt,
            version,
          ],
          ...[login.text, login.keyId, data.text, data.keyId, this.#service.name],
        ],
      },
    ]);
    return "created";
  };

  readonly find = async (key: string, now: number): Promise<SessionFound> => {
    const [row] = await this.#database.read(`SELECT ${COLUMNS} FROM ${this.#session} WHERE key = $1`, [key]);
    if (row === undefined) return { kind: "unknown" };
    const isOver = Number(row["until"]) <= now;
    if (row["owner"] === null) return { kind: isOver ? "unknown" : "replaced" };
    return isOver ? { kind: "expired" } : { kind: "live", record: await this.#recordIn(row) };
  };

  readonly touch = async (key: string, idleUntil: number, now: number): Promise<boolean> => {
    const touched = await this.#change(
      `UPDATE ${this.#session} SET until = CASE WHEN $2 <= until THEN until WHEN $2 > expires_at THEN expires_at
        ELSE $2 END WHERE key = $1 AND ${IS_LIVE} $3 RETURNING key`,
      [key, idleUntil, now],
    );
    return touched.length > 0;
  };

  readonly update = async (
    key: string,
    version: number,
    data: SessionData,
    now: number,
    of: SessionOrigin,
  ): Promise<"updated" | "changed" | "gone"> => {
    const { text, keyId } = this.#dataOf(data, of);
    const updated = await this.#change(
      `UPDATE ${this.#session} SET data = $4, data_key_id = $5, version = version + 1
        WHERE key = $1 AND version = $2 AND ${IS_LIVE} $3 RETURNING key`,
      [key, version, now, text, keyId],
    );
    if (updated.length > 0) return "updated";
    return (await this.find(key, now)).kind === "live" ? "changed" : "gone";
  };

  readonly rotate = async (
    key: string,
    to: string,
    parts: RotatedParts,
    now: number,
  ): Promise<SessionRecord | undefined> => {
    const { text, keyId } = this.#loginOf(parts);
    const [moved] =
      (await this.#database.write([
        {
          sql: `UPDATE ${this.#session} SET key = $2, login = $4, key_id = $5 WHERE key = $1 AND ${IS_LIVE} $3
            RETURNING ${COLUMNS}`,
          values: [key, to, now, text, keyId],
          must: true,
        },
        {
          sql: `INSERT INTO ${this.#session} (key, until, service) VALUES ($1, $2, $3)`,
          values: [key, now + REPLACED_MS, this.#service.name],
        },
      ])) ?? [];
    return moved?.[0] && this.#recordIn(moved[0]);
  };

  readonly destroy = async (key: string, now: number): Promise<boolean> => {
    const sql = `DELETE FROM ${this.#session} WHERE key = $1 AND owner IS NOT NULL RETURNING until`;
    return liveIn(await this.#change(sql, [key]), now) > 0;
  };

  readonly destroyAll = async (owner: string, now: number): Promise<number> => {
    const waits = this.#waitsFor(owner);
    const own = await this.#service.own();
    const forms = JSON.stringify(subjectForms(this.#codec, owner));
    const sql = `DELETE FROM ${this.#session} WHERE owner IN ${this.#database.dialect.listed("$1")}
      AND service IN ($2, $3) RETURNING until`;
    const results = await this.#database.write([...waits, { sql, values: [forms, ...own] }]);
    return liveIn(results?.at(-1) ?? [], now);
  };

  readonly cleanUp = (limit: number, now: number): Promise<number> =>
    deleteSome(this.#database, { table: "session", where: "until <= $1", values: [now], limit });

  #waitsFor(owner: string): readonly Statement[] {
    return this.#database.dialect.serialized(`SELECT '${this.#session} ' || CAST($1 AS text)`, [owner]);
  }

  async #change(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]> {
    const [changed] = (await this.#database.write([{ sql, values }])) ?? [];
    return changed ?? [];
  }

  #loginOf({ identity, csrfSecret, owner, createdAt }: RotatedParts): EncodedText {
    const place = sessionPlace("login", owner, createdAt);
    return this.#codec.encode(JSON.stringify({ identity, csrfSecret }), place);
  }

  #dataOf(data: SessionData, { owner, createdAt }: SessionOrigin): EncodedText {
    return this.#codec.encode(JSON.stringify(data), sessionPlace("data", owner, createdAt));
  }

  async #recordIn(row: Row): Promise<SessionRecord> {
    const owner = await subjectHash(this.#codec, row["owner"] as string);
    const createdAt = Number(row["created_at"]);
    const decoded = async (field: "login" | "data", keyId: string): Promise<unknown> => {
      const place = sessionPlace(field, owner, createdAt);
      return JSON.parse(await this.#codec.decode(row[field] as string, row[keyId] as string | null, place));
    };
    const { identity, csrfSecret } = (await decoded("login", "key_id")) as {
      identity: IamIdentity;
      csrfSecret: string;
    };
    return {
      ...{ owner, identity, data: (await decoded("data", "data_key_id")) as SessionData },
      ...{ version: Number(row["version"]), csrfSecret, createdAt },
      ...{ expiresAt: Number(row["expires_at"]), idleUntil: Number(row["until"]) },
    };
  }
}

/** Rows with an end after `now`. */
const liveIn = (rows: readonly Row[], now: number): number =>
  rows.filter(({ until }) => Number(until) > now).length;
