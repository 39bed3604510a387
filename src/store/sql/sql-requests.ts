import type { Codec } from "#core/ports/codec.js";
import type { HostRequest, HostRequestStore } from "#core/ports/host-requests.js";
import { decodedPair, encodedPair, requestPlace } from "./places.js";
import type { Row, SqlDatabase } from "./sql-database.js";

/** Requests to the hosts of one service. */
export class SqlRequests implements HostRequestStore {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: string;
  /** Of an open request: its time is not over. */
  readonly #isOpen: string;

  constructor(database: SqlDatabase, codec: Codec, service = "") {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    this.#isOpen = `answered_at IS NULL AND until > ${database.dialect.now}`;
  }

  readonly ask: HostRequestStore["ask"] = async (request, ttlMs) => {
    await this.#database.open();
    const { dialect, tables } = this.#database;
    const { id, kind, target, host, by, reason, payload } = request;
    const kept = (field: "reason" | "payload", text: string | undefined) =>
      text === undefined ? null : encodedPair(this.#codec, text, requestPlace(field, id));
    await this.#database.write([
      {
        sql: `INSERT INTO ${tables.request} (id, service, kind, target, host, by, reason, payload, at, until)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${dialect.now}, ${dialect.now} + $9)
          ON CONFLICT (id) DO NOTHING`,
        values: [
          ...[id, this.#service, kind, target, host ?? null, by, kept("reason", reason)],
          ...[kept("payload", payload === undefined ? payload : JSON.stringify(payload)), ttlMs],
        ],
      },
      ...dialect.notified("SELECT 1", []),
    ]);
  };

  readonly state: HostRequestStore["state"] = async (id) => {
    const { tables } = this.#database;
    const [row] = await this.#database.read(
      `SELECT host, answer, CASE WHEN ${this.#isOpen} THEN 1 ELSE 0 END AS is_open FROM ${tables.request}
        WHERE id = $1 AND service = $2`,
      [id, this.#service],
    );
    if (row === undefined) return undefined;
    const { host, answer, is_open } = row;
    if (typeof answer === "string")
      return {
        ...{ kind: "answered", host: String(host) },
        answer: JSON.parse(await decodedPair(this.#codec, answer, requestPlace("answer", id))),
      };
    return { kind: Number(is_open) === 1 ? "open" : "unanswered" };
  };

  readonly open: HostRequestStore["open"] = async (host, limit) => {
    const { tables } = this.#database;
    const rows = await this.#database.read(
      `SELECT id, kind, target, host, by, reason, payload FROM ${tables.request}
        WHERE ${this.#isOpen} AND service = $1 AND (host = $2 OR host IS NULL) ORDER BY seq LIMIT $3`,
      [this.#service, host, limit],
    );
    return Promise.all(rows.map((row) => this.#requestIn(row)));
  };

  readonly take: HostRequestStore["take"] = (id, host) =>
    this.#changed("host = $2", "host IS NULL", [id, host]);

  /** What was sent with it is kept no longer: the run has it from now on, or it was refused. */
  readonly answer: HostRequestStore["answer"] = (id, host, answer) =>
    this.#changed(`answered_at = ${this.#database.dialect.now}, answer = $3, payload = NULL`, "host = $2", [
      ...[id, host],
      encodedPair(this.#codec, JSON.stringify(answer), requestPlace("answer", id)),
    ]);

  /** Deletes requests whose time was over this long ago. */
  readonly forget = async (ageMs: number): Promise<void> => {
    const { dialect, tables } = this.#database;
    await this.#database.write([
      {
        sql: `DELETE FROM ${tables.request} WHERE until < ${dialect.now} - $1 AND service = $2`,
        values: [ageMs, this.#service],
      },
    ]);
  };

  async #changed(set: string, where: string, values: readonly string[]): Promise<boolean> {
    const { tables } = this.#database;
    const sql = `UPDATE ${tables.request} SET ${set} WHERE id = $1 AND ${where} AND ${this.#isOpen} RETURNING id`;
    const [rows] = (await this.#database.write([{ sql, values }])) ?? [];
    return (rows?.length ?? 0) > 0;
  }

  async #requestIn({ id, kind, target, host, by, reason, payload }: Row): Promise<HostRequest> {
    const key = String(id);
    return {
      ...{ id: key, kind: String(kind), target: String(target), by: String(by) },
      ...(typeof host === "string" && { host }),
      ...(typeof reason === "string" && { reason: await this.#decoded("reason", key, reason, String) }),
      ...(typeof payload === "string" && {
        payload: await this.#decoded("payload", key, payload, JSON.parse),
      }),
    };
  }

  /** One that cannot be decoded must not hold up the other requests of its host: no payload is a text. */
  async #decoded<T>(
    field: "reason" | "payload",
    id: string,
    kept: string,
    read: (text: string) => T,
  ): Promise<T | string> {
    try {
      return read(await decodedPair(this.#codec, kept, requestPlace(field, id)));
    } catch (error) {
      return `(not readable: ${error instanceof Error ? error.message : String(error)})`;
    }
  }
}
