// What is read of many runs, by one statement: a host that wakes runs reads a log for each. Calls of a
// turn go together, and those that come while FLIGHTS statements are in flight.

import type { Row, SqlDatabase } from "../sql/sql-database.js";

const FLIGHTS = 2;
/** Ids of a statement: logs may be long. */
const AT_ONCE = 50;

interface Asked {
  readonly id: string;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

export class AskedTogether {
  readonly #database: SqlDatabase;
  readonly #sql: (ids: string) => string;
  #waiting: Asked[] = [];
  #flights = 0;
  #isDue = false;

  /** `sql` selects by the ids in a set; each row has the `id` of its run. */
  constructor(database: SqlDatabase, sql: (ids: string) => string) {
    this.#database = database;
    this.#sql = sql;
  }

  rowsOf(id: string): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      if (this.#isDue || this.#flights >= FLIGHTS) return;
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        this.#fly();
      });
    });
  }

  #fly(): void {
    while (this.#flights < FLIGHTS && this.#waiting.length > 0) {
      this.#flights += 1;
      void this.#ask(this.#waiting.splice(0, AT_ONCE)).finally(() => {
        this.#flights -= 1;
        this.#fly();
      });
    }
  }

  async #ask(asked: readonly Asked[]): Promise<void> {
    const { dialect, read } = this.#database;
    try {
      const ids = JSON.stringify([...new Set(asked.map(({ id }) => id))]);
      const rows = await read(this.#sql(dialect.listed("$1")), [ids]);
      const found = new Map<unknown, Row[]>();
      for (const row of rows) {
        const own = found.get(row["id"]);
        if (own === undefined) found.set(row["id"], [row]);
        else own.push(row);
      }
      for (const { id, resolve } of asked) resolve(found.get(id) ?? []);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
