import type { Codec } from "#core/ports/codec.js";
import type { HostFacts, HostLease, RunCancelRequest, RunOwnership } from "#core/ports/run-store.js";
import { livingHosts } from "../sql/living-hosts.js";
import { decodedPair, encodedPair, runPlace } from "../sql/places.js";
import { RUN_STATE } from "../sql/run-columns.js";
import type { Row, SqlDatabase, SqlValue, Statement, Tables } from "../sql/sql-database.js";
import { dueNow, waitIn } from "../sql/wait-columns.js";

/** Deletes what other tables have of runs; `which` follows `run`, which is the `seq` of a run. */
export const deletedParts = (
  { run_part: part, run_label: label, run_signal: signal }: Tables,
  which: string,
  values: readonly SqlValue[],
): readonly Statement[] =>
  [part, label, signal].map((table) => ({ sql: `DELETE FROM ${table} WHERE run ${which}`, values }));

/** In the order of RUN_STATE. */
export const STATES = ["running", "stuck", "ended"] as const;

const MAX_HOSTS = 200;

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
    const { dialect, tables } = this.#database;
    const { run } = tables;
    const kept = encodedPair(this.#codec, JSON.stringify(request), runPlace("cancel", id));
    const [, rows] =
      (await this.#database.write([
        {
          sql: `UPDATE ${run} SET cancel = $2, due = CASE WHEN waits_for IS NULL THEN NULL ELSE ${dueNow(dialect.now)} END
            WHERE id = $1 AND state < ${RUN_STATE.ended} AND cancel IS NULL`,
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

  async hosts(service: string): Promise<readonly HostLease[]> {
    const { dialect, tables } = this.#database;
    const left = `CASE WHEN h.id IN (${livingHosts(this.#database)}) THEN h.until - ${dialect.now} ELSE 0 END`;
    const runs = `(SELECT count(*) FROM ${tables.run} r WHERE r.host = h.id AND r.state < ${RUN_STATE.ended})`;
    const rows = await this.#database.read(
      `SELECT h.id, h.facts, ${left} AS until, ${dialect.now} - coalesce(h.left_at, h.until - h.ttl) AS ago,
        ${runs} AS runs FROM ${tables.host} h WHERE h.service = $1 ORDER BY ago, h.id LIMIT ${MAX_HOSTS}`,
      [service],
    );
    return rows.map(({ id, facts, until, ago, runs: owned }) => ({
      ...{ id: id as string, isAlive: Number(until) > 0, leftMs: Number(until), runs: Number(owned) },
      beatAgoMs: Math.max(0, Number(ago)),
      ...(facts !== null && { facts: JSON.parse(facts as string) as HostFacts }),
    }));
  }

  #row(id: string): Statement {
    const { tables } = this.#database;
    const alive = `r.host IN (${livingHosts(this.#database)})`;
    return {
      sql: `SELECT r.state, r.host, r.cancel, r.due, r.waits_for, CASE WHEN ${alive} THEN 1 ELSE 0 END AS is_alive
        FROM ${tables.run} r WHERE r.id = $1`,
      values: [id],
    };
  }

  async #ownershipIn(id: string, row: Row): Promise<RunOwnership> {
    const { state, host, cancel, is_alive } = row;
    const wait = waitIn(row);
    return {
      state: STATES[Number(state)] ?? "running",
      isAlive: Number(is_alive) === 1,
      ...(typeof host === "string" && { host }),
      ...(typeof cancel === "string" && { cancel: await this.cancelIn(id, cancel) }),
      ...(wait && { wait }),
    };
  }
}
