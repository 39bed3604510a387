import type { Codec } from "#core/ports/codec.js";
import type { RunCancelRequest, RunOwnership } from "#core/ports/run-store.js";
import { livingHosts } from "./living-hosts.js";
import { decodedPair, encodedPair, runPlace } from "./places.js";
import { RUN_STATE } from "./run-columns.js";
import type { Row, SqlDatabase, SqlValue, Statement, Tables } from "./sql-database.js";

/** Deletes what other tables have of runs; `which` follows `run`, which is the `seq` of a run. */
export const deletedParts = (
  { run_part: part, run_label: label }: Tables,
  which: string,
  values: readonly SqlValue[],
): readonly Statement[] =>
  [part, label].map((table) => ({ sql: `DELETE FROM ${table} WHERE run ${which}`, values }));

/** In the order of RUN_STATE. */
export const STATES = ["running", "stuck", "ended"] as const;

/** Rows of the table of runs: who owns a run, and whether it is to be cancelled. */
export class RunRows {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;

  constructor(database: SqlDatabase, codec: Codec) {
    this.#database = database;
    this.#codec = codec;
  }

  async ownership(id: string): Promise<RunOwnership | undefined> {
    const { sql, values } = this.#row(id);
    const [row] = await this.#database.read(sql, values);
    return row && this.#ownershipIn(id, row);
  }

  async requestCancel(id: string, request: RunCancelRequest): Promise<RunOwnership | undefined> {
    const { run } = this.#database.tables;
    const kept = encodedPair(this.#codec, JSON.stringify(request), runPlace("cancel", id));
    const [, rows] =
      (await this.#database.write([
        {
          sql: `UPDATE ${run} SET cancel = $2 WHERE id = $1 AND state < ${RUN_STATE.ended} AND cancel IS NULL`,
          values: [id, kept],
        },
        this.#row(id),
      ])) ?? [];
    const [row] = rows ?? [];
    return row && this.#ownershipIn(id, row);
  }

  /** A request that cannot be decoded is one all the same: the run is cancelled, and its reason is lost. */
  async cancelIn(id: string, kept: string): Promise<RunCancelRequest> {
    try {
      return JSON.parse(await decodedPair(this.#codec, kept, runPlace("cancel", id))) as RunCancelRequest;
    } catch {
      return { reason: "the reason cannot be decoded", at: 0 };
    }
  }

  #row(id: string): Statement {
    const { tables } = this.#database;
    const alive = `r.host IN (${livingHosts(this.#database)})`;
    return {
      sql: `SELECT r.state, r.host, r.cancel, CASE WHEN ${alive} THEN 1 ELSE 0 END AS is_alive
        FROM ${tables.run} r WHERE r.id = $1`,
      values: [id],
    };
  }

  async #ownershipIn(id: string, { state, host, cancel, is_alive }: Row): Promise<RunOwnership> {
    return {
      state: STATES[Number(state)] ?? "running",
      isAlive: Number(is_alive) === 1,
      ...(typeof host === "string" && { host }),
      ...(typeof cancel === "string" && { cancel: await this.cancelIn(id, cancel) }),
    };
  }
}
