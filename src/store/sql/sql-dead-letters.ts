import type { Codec } from "#core/ports/codec.js";
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from "#core/ports/dead-letter.js";
import { columnKey } from "./column-key.js";
import { letterIn, textOfLetter } from "./letter-text.js";
import { letterPlace, subjectColumn } from "./places.js";
import { Service } from "./service.js";
import type { Row, SqlDatabase, SqlValue } from "./sql-database.js";

const COLUMNS = "id, axon, node, failed_at, letter, key_id";
const MAX_LISTED = 2 ** 31 - 1;

/** Dead letters as rows, in the order in which they first failed. */
export class SqlDeadLetters implements DeadLetterStore {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #letter: string;
  readonly #service: Service;

  constructor(database: SqlDatabase, codec: Codec, service = new Service(database)) {
    this.#database = database;
    this.#service = service;
    this.#codec = codec;
    this.#letter = database.tables.letter;
  }

  readonly send = async (letter: DeadLetter & { readonly subject?: string }): Promise<void> => {
    const { id, axon, node, failed_at: failedAt, subject } = letter;
    const key = await this.#keyOf(id);
    const { text, keyId } = this.#codec.encode(textOfLetter(letter), letterPlace(key));
    const [ofAxon, ofNode] = [axon, node].map(columnKey) as [string, string];
    await this.#database.write([
      {
        sql: `INSERT INTO ${this.#letter} (id, axon, node, failed_at, subject, letter, key_id, service)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET axon = excluded.axon,
            node = excluded.node, failed_at = excluded.failed_at, subject = excluded.subject,
            letter = excluded.letter, key_id = excluded.key_id`,
        values: [
          ...[key, ofAxon, ofNode, Math.floor(failedAt)],
          ...[
            subject === undefined ? null : columnKey(subjectColumn(this.#codec, subject)),
            text,
            keyId,
            this.#service.name,
          ],
        ],
      },
    ]);
  };

  readonly list = async (filter: DeadLetterFilter = {}): Promise<readonly DeadLetter[]> => {
    const { where, values } = await this.#whereOf(filter);
    const { limit = 100 } = filter;
    const rows = await this.#database.read(
      `SELECT ${COLUMNS} FROM ${this.#letter}${where} ORDER BY seq LIMIT $${values.length + 1}`,
      [...values, Math.min(limit, MAX_LISTED)],
    );
    return Promise.all(rows.map((row) => this.#letterOf(row)));
  };

  readonly count = async (filter: DeadLetterFilter = {}): Promise<number> => {
    const { where, values } = await this.#whereOf(filter);
    const [row] = await this.#database.read(`SELECT count(*) AS count FROM ${this.#letter}${where}`, values);
    return Number(row?.["count"]);
  };

  readonly get = async (id: string): Promise<DeadLetter | undefined> => {
    const [row] = await this.#database.read(`SELECT ${COLUMNS} FROM ${this.#letter} WHERE id = $1`, [
      await this.#keyOf(id),
    ]);
    return row && this.#letterOf(row);
  };

  readonly remove = async (id: string): Promise<boolean> => {
    const sql = `DELETE FROM ${this.#letter} WHERE id = $1 RETURNING id`;
    const [removed] = (await this.#database.write([{ sql, values: [await this.#keyOf(id)] }])) ?? [];
    return (removed?.length ?? 0) > 0;
  };

  readonly claim = async (id: string, by: string, ttlMs: number): Promise<boolean> => {
    const { now } = this.#database.dialect;
    const sql = `UPDATE ${this.#letter} SET claimed_by = $1, claimed_until = ${now} + $2
      WHERE id = $3 AND (claimed_by = $1 OR claimed_until <= ${now}) RETURNING id`;
    const [claimed] =
      (await this.#database.write([{ sql, values: [by, ttlMs, await this.#keyOf(id)] }])) ?? [];
    return (claimed?.length ?? 0) > 0;
  };

  readonly release = async (id: string, by: string): Promise<void> => {
    const sql = `UPDATE ${this.#letter} SET claimed_by = NULL, claimed_until = 0 WHERE id = $1 AND claimed_by = $2`;
    await this.#database.write([{ sql, values: [await this.#keyOf(id), by] }]);
  };

  /** One that the codec cannot decode any more is listed, too: it must not hide the others. */
  async #letterOf(row: Row): Promise<DeadLetter> {
    const { id, letter, key_id: keyId } = row;
    try {
      return letterIn(
        await this.#codec.decode(letter as string, keyId as string | null, letterPlace(id as string)),
      );
    } catch (error) {
      const what = `(not readable: ${error instanceof Error ? error.message : String(error)})`;
      return {
        ...{ id: row["id"] as string, kind: "step", axon: row["axon"] as string, version: "" },
        ...{ node: row["node"] as string, input: what, error: what, timeline: undefined, undone: [] },
        ...{ failed_at: Number(row["failed_at"]), attempts: 1, lost: [what] },
      };
    }
  }

  async #keyOf(id: string): Promise<string> {
    return columnKey(await this.#service.keyOf(id));
  }

  async #whereOf({ axon, node }: DeadLetterFilter): Promise<{
    readonly where: string;
    readonly values: readonly SqlValue[];
  }> {
    const values: SqlValue[] = [...(await this.#service.own())];
    const conditions = Object.entries({ axon, node }).flatMap(([column, text]) =>
      text === undefined ? [] : [`${column} = $${values.push(columnKey(text))}`],
    );
    return { where: [" WHERE service IN ($1, $2)", ...conditions].join(" AND "), values };
  }
}
