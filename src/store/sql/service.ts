// One of the services that share the tables of a database. The first that has a name owns the plain ids
// and keys, those that were written without a service included; the ids and keys of each other one begin
// with its name. So the rows of a database of one service are what they were before there were names.
//
// Runs without a service belong to the service that has their Axon, until they end.

import { invalidOption } from "#core/invalid-option.js";
import type { Row, SqlDatabase } from "./sql-database.js";

/** Cannot be in a name, nor in what a header carries. */
const MARK = "\u001f";
const NAME = /^[^\p{Cc}\p{Surrogate}]{1,100}$/u;
/** Maximum number of runs without a service whose ids are remembered. */
const MAX_EARLIER = 10_000;

export class Service {
  /** Empty for one without a name. */
  readonly name: string;
  readonly #database: SqlDatabase;
  /** Runs without a service. */
  readonly #earlier = new Set<string>();
  #hasEarlier = false;
  #prefix: string | undefined;

  constructor(database: SqlDatabase, name = "") {
    this.#database = database;
    this.name = name;
  }

  /** Opens the database. Rejects with CONFIG_INVALID where this service has no name and another one has. */
  readonly enter = async (): Promise<void> => {
    await this.#database.open();
    this.#prefix ??= await this.#found();
  };

  /** As above, and changes nothing: neither are tables migrated, nor does this service become the first. */
  readonly look = async (): Promise<void> => {
    await this.#database.open(true);
    this.#prefix ??= await this.#found(true);
  };

  readonly keyOf = async (id: string): Promise<string> => {
    if (this.#prefix === undefined) await this.enter();
    return this.#earlier.has(id) ? id : `${this.#prefix}${id}`;
  };

  /** Of which services rows other than runs are its own, for `service IN ($1, $2)`: those without one are the first's. */
  readonly own = async (): Promise<readonly [string, string]> => {
    if (this.#prefix === undefined) await this.enter();
    return [this.name, this.#prefix === "" ? "" : this.name];
  };

  /** What `keyOf` made a key of; `service` is that of its row. */
  idOf(key: string, service: string): string {
    if (this.#prefix === undefined || this.#prefix === "") return key;
    if (service !== "") return key.slice(this.#prefix.length);
    if (this.#earlier.size < MAX_EARLIER) this.#earlier.add(key);
    return key;
  }

  /** Whether the run under this key is unknown because it has no service. Asks the database only where there were such runs. */
  async isEarlier(id: string, key: string): Promise<boolean> {
    if (key === id || !this.#hasEarlier) return false;
    const { tables, read } = this.#database;
    const found = await read(`SELECT 1 AS found FROM ${tables.run} WHERE id = $1 AND service = ''`, [id]);
    return found.length > 0;
  }

  async #found(looks = false): Promise<string> {
    const { dialect, tables, read, write } = this.#database;
    const { name } = this;
    const owner = {
      sql: `SELECT name FROM ${tables.service} WHERE is_plain = 1`,
      values: [],
    };
    // Two that are the first at once take turns.
    const enter = {
      sql: `INSERT INTO ${tables.service} (name, is_plain)
        SELECT CAST($1 AS text), CASE WHEN EXISTS (SELECT 1 FROM ${tables.service} WHERE is_plain = 1) THEN 0 ELSE 1 END
        ON CONFLICT (name) DO NOTHING`,
      values: [name],
    };
    const entering = name === "" ? [] : [...dialect.serialized("SELECT 'framework service'", []), enter];
    const found = looks ? await read(owner.sql, []) : (await write([...entering, owner]))?.at(-1);
    const [row] = found ?? ([] as readonly Row[]);
    const plain = row?.["name"];
    if (name === "" && plain !== undefined)
      throw invalidOption(
        `openStores: these tables are of service '${plain}'`,
        "name this one too, by persistence.service or openStores(url, { service }): by the same name if it is that service",
      );
    if (plain === undefined || plain === name) return "";
    const earlier = await read(`SELECT 1 AS found FROM ${tables.run} WHERE service = '' LIMIT 1`, []);
    this.#hasEarlier = earlier.length > 0;
    return `${MARK}${name}${MARK}`;
  }
}

/** Throws CONFIG_INVALID. */
export function requireServiceName(name: string | undefined): void {
  if (name !== undefined && !NAME.test(name))
    throw invalidOption("openStores", "service must have 1 to 100 characters, no control characters");
}

/** The key of what all services share. */
export const sharedKey = (key: string): string => `${MARK}${MARK}${key}`;
