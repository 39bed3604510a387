// Rates of all processes, as rows. Time is the database's. A row is a bucket that is not full: it holds
// when it is full again, in the units of its rate (exactRate), and that one number is the whole bucket.
//
//   SR1. A take is one statement whose WHERE decides while it holds the row: nothing is counted, and no
//        two takes see the same bucket. That number only grows by what was taken, or to the present.
//   SR2. Only a row whose time is up is deleted.
//
// If the database's clock is set back, buckets are full so much later, but for those that would not be
// within two windows: they are full at once. If it is set forward, buckets are full early. In PostgreSQL
// the table is UNLOGGED: no take waits for a disk, and a crash or a failover leaves every bucket full.

import { hash } from "node:crypto";

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { invalidOption } from "#core/invalid-option.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";
import { exactRate } from "#std/memory/memory-rate-limits.js";
import { type Drawn, HeldTokens } from "./held-tokens.js";
import type { Row, SqlDatabase, SqlValue } from "./sql-database.js";
import { SweepTurns } from "./sweeps.js";

/** Rows that a sweep looks at: twice as many as come to be between two of them. */
const SWEPT = 200;

export class SqlRates implements RateLimitStore {
  readonly #database: SqlDatabase;
  readonly #service: string;
  readonly #take: string;
  readonly #look: string;
  readonly #held = new HeldTokens((key, limit, least, most) => this.#draw(key, limit, least, most));
  readonly #sweeps = new SweepTurns(() => this.forget(SWEPT));
  /** The key behind which the next sweep begins. */
  #swept = "";

  constructor(database: SqlDatabase, service = "") {
    this.#database = database;
    this.#service = service;
    const { dialect, tables } = database;
    const { rate: t } = tables;
    const most = dialect.name === "postgres" ? "greatest" : "max";
    // Whole numbers: SQLite takes a parameter for a float, which is not exact beyond 2^53.
    const [perMs, full, wanted] = ["$2", "$3", "$4"].map((parameter) => `CAST(${parameter} AS bigint)`);
    const present = `(${dialect.now} * ${perMs})`;
    const isFitting = `${t}.full_at <= ${present} + 2 * ${full}`;
    const known = `CASE WHEN ${isFitting} THEN ${most}(${t}.full_at, ${present}) ELSE ${present} END`;
    const until = (fullAt: string): string => `(${fullAt} + ${perMs} - 1) / ${perMs}`;
    this.#take = `INSERT INTO ${t} (key, full_at, until)
      VALUES ($1, ${present} + ${wanted}, ${until(`${present} + ${wanted}`)})
      ON CONFLICT (key) DO UPDATE SET full_at = ${known} + ${wanted}, until = ${until(`${known} + ${wanted}`)}
      WHERE ${known} - ${present} + ${wanted} <= ${full} RETURNING full_at - ${present} AS missing`;
    this.#look = `SELECT ${known} - ${present} AS missing FROM ${t} WHERE key = $1`;
  }

  readonly take = (key: string, limit: RateLimit, now: number): MaybePromise<RateLimitVerdict> =>
    this.#held.take(key, limit, now);

  /** One round trip where the bucket has `most` tokens: a row does not return what it was before. */
  async #draw(key: string, limit: RateLimit, least: number, most: number): Promise<Drawn> {
    const rate = exactRate(limit);
    if (rate === undefined)
      throw invalidOption(
        `SqlRates, asked for ${limit.capacity} per ${limit.windowMs} ms`,
        "this rate cannot be counted exactly; use rounder numbers",
      );
    const { perMs, perToken, full } = rate;
    // Clients are not named, and keys of any length fit.
    const kept = hash("sha256", JSON.stringify([this.#service, key]), "base64url");
    const values: readonly SqlValue[] = [kept, perMs, full];
    const drawn = (taken: number, row: Row | undefined): Drawn => {
      // Without a row it became full in between.
      const missing = Math.max(Number(row?.["missing"] ?? 0), 0);
      return {
        taken,
        remaining: Math.max(Math.floor((full - missing) / perToken), 0),
        retryAfterMs: taken > 0 ? 0 : Math.max(Math.ceil((missing + least * perToken - full) / perMs), 1),
        resetMs: missing / perMs,
      };
    };
    // Fewer each time: it ends, however many others take from the bucket meanwhile.
    for (let wanted = most; ; ) {
      const [taken] =
        (await this.#database.write([{ sql: this.#take, values: [...values, wanted * perToken] }])) ?? [];
      if (taken !== undefined && taken.length > 0) {
        this.#sweeps.count();
        return drawn(wanted, taken[0]);
      }
      const [row] = await this.#database.read(this.#look, values);
      const found = drawn(0, row);
      if (wanted <= least || found.remaining < least) return found;
      wanted = Math.max(Math.min(found.remaining, wanted - 1), least);
    }
  }

  /**
   * Deletes the full buckets among the next `limit` ones, in turn. Resolves to how many. An index of times
   * would be written at each take; the key has one that is not.
   */
  readonly forget = async (limit: number): Promise<number> => {
    const { dialect, tables, read, write } = this.#database;
    const { rate: t } = tables;
    const next = `SELECT max(key) AS last FROM (SELECT key FROM ${t} WHERE key > $1 ORDER BY key LIMIT $2) AS next`;
    const [from, [found]] = [this.#swept, await read(next, [this.#swept, limit])];
    const last = found?.["last"];
    this.#swept = typeof last === "string" ? last : "";
    if (this.#swept === "") return 0;
    // What another sweep holds is left to it: two that wait for each other's rows would deadlock.
    const skipped = dialect.name === "postgres" ? "FOR UPDATE SKIP LOCKED" : "";
    const [deleted] =
      (await write([
        {
          sql: `DELETE FROM ${t} WHERE key IN (SELECT key FROM ${t} WHERE key > $1 AND key <= $2
            AND until <= ${dialect.now} ${skipped}) AND until <= ${dialect.now} RETURNING key`,
          values: [from, this.#swept],
        },
      ])) ?? [];
    return deleted?.length ?? 0;
  };
}
