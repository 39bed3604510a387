// Whether a store would keep an append now. A write that failed makes it doubtful until a probe of that
// size is kept: a lease of a few bytes is still kept on a full disk.

import { randomBytes, randomInt } from "node:crypto";

import type { SqlDatabase } from "./sql-database.js";

const LEAST_LENGTH = 65_536;
/** How often a store is probed that no host writes its lease to. */
const IDLE_MS = 3000;

export class StoreCheck {
  /** The database, as the stores are to use it. */
  readonly database: SqlDatabase;
  readonly #now: () => number;
  /** Of the largest write that failed, and 0 where none did. */
  #doubted = 0;
  #writtenAt: number;

  /** @param now milliseconds */
  constructor(database: SqlDatabase, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#writtenAt = now();
    this.database = {
      ...database,
      write: (statements) => this.#noted(database.write(statements), () => lengthOf(statements)),
      lease: (statement) => this.#noted(database.lease(statement), () => lengthOf([statement])),
      append: (append) => this.#noted(database.append(append), () => append.entries.length),
      appendAudit: (append) => this.#noted(database.appendAudit(append), () => append.metadata.length),
    };
  }

  /** Rejects if the database does not respond, takes no writes, or would not keep a write such as the last one. */
  async check(): Promise<void> {
    await this.database.check();
    const length = this.#doubted;
    if (length === 0 && this.#now() - this.#writtenAt < IDLE_MS) return;
    await this.#probe(Math.max(LEAST_LENGTH, length));
    if (this.#doubted === length) this.#doubted = 0;
  }

  async #noted<T>(call: Promise<T>, length: () => number): Promise<T> {
    try {
      const result = await call;
      this.#writtenAt = this.#now();
      return result;
    } catch (error) {
      this.#doubted = Math.max(this.#doubted, length(), 1);
      throw error;
    }
  }

  /** In two transactions: what one writes and deletes again needs no room. Random: a database compresses texts. */
  async #probe(length: number): Promise<void> {
    const { write, tables } = this.database;
    const text = randomBytes(Math.ceil(length / 2)).toString("hex");
    const insert = `INSERT INTO ${tables.run_part} (run, known, entries) VALUES (-1, $1, $2)`;
    await write([{ sql: insert, values: [randomInt(2 ** 47), text] }]);
    await write([{ sql: `DELETE FROM ${tables.run_part} WHERE run = -1`, values: [] }]);
  }
}

const lengthOf = (statements: Parameters<SqlDatabase["write"]>[0]): number =>
  statements
    .flatMap(({ values }) => values)
    .reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
