import type { RunLabels } from "#core/bus/label.js";
import type { Codec } from "#core/ports/codec.js";
import type { RunStateName } from "#core/ports/run-state.js";
import type { UnfinishedRun } from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import { decodedPair, runPlace } from "../sql/places.js";
import { OUTCOMES, RUN_STATE } from "../sql/run-columns.js";
import type { Service } from "../sql/service.js";
import type { Row, SqlDatabase } from "../sql/sql-database.js";
import { waitIn } from "../sql/wait-columns.js";
import { labelsOf } from "./run-labels.js";
import type { RunRows } from "./run-rows.js";

/** Rows of the table of runs, as lists show them. */
export class ListedRows {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: Service;
  readonly #rows: RunRows;
  /** What a list selects of runs `r`. */
  readonly columns: string;

  constructor(database: SqlDatabase, codec: Codec, service: Service, rows: RunRows) {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    this.#rows = rows;
    const { tables } = database;
    const isOne = (sql: string): string => `CASE WHEN EXISTS (SELECT 1 FROM ${sql}) THEN 1 ELSE 0 END`;
    this.columns = `r.seq, r.id, r.axon, r.version, r.began_at, r.at, r.known, r.node, r.trace, r.host,
      r.state, r.unfit, r.unfit_by, r.cancel, r.service, r.due, r.waits_for, r.outcome,
      ${isOne(`${tables.host} l WHERE l.id = r.host AND l.left_at IS NOT NULL`)} AS has_left,
      ${isOne(`${tables.run_label} l WHERE l.run = r.seq`)} AS has_labels`;
  }

  async read(rows: readonly Row[]): Promise<readonly (UnfinishedRun & { readonly place: string })[]> {
    const labels = await labelsOf(this.#database, this.#codec, rows);
    return Promise.all(rows.map((row) => this.#runOf(row, labels.get(String(row["seq"])))));
  }

  /** Undefined for a row of an earlier release, which does not have its outcome. */
  stateOf(row: Row, release: string | undefined): RunStateName | undefined {
    const { state, unfit_by: by, waits_for: waitsFor, outcome } = row;
    if (Number(state) === RUN_STATE.ended) return outcome === null ? undefined : OUTCOMES[Number(outcome)];
    if (Number(state) === RUN_STATE.stuck) return "stuck";
    if (typeof by === "string" && by.includes(release ?? "")) return "unfit";
    if (waitsFor === null) return "running";
    return waitsFor === "[]" ? "sleeping" : "waiting";
  }

  async reasonIn(id: string, unfit: string): Promise<string> {
    try {
      return await decodedPair(this.#codec, unfit, runPlace("unfit", id));
    } catch {
      return "the reason cannot be decoded";
    }
  }

  async #runOf(row: Row, labels: RunLabels | undefined): Promise<UnfinishedRun & { readonly place: string }> {
    const { seq, axon, version, began_at, at, known, node, trace, host, state, service, has_left } = row;
    const { id, unfit, cancel } = row as Readonly<Record<string, string>>;
    const wait = waitIn(row);
    return {
      ...{ id: this.#service.idOf(id as string, service as string) },
      ...{ axon: axon as string, version: version as string },
      ...{ began_at: Number(began_at), at: Number(at), entries: Number(known) },
      ...(node !== null && { node: node as string }),
      ...(trace !== null && { trace: JSON.parse(trace as string) as TraceMark }),
      ...(host !== null && { host: host as string }),
      ...(Number(state) === RUN_STATE.stuck && { stuck: true }),
      ...(Number(has_left) === 1 && { left: true }),
      ...(unfit !== null && { unfit: await this.reasonIn(id as string, unfit as string) }),
      ...(cancel !== null && { cancel: await this.#rows.cancelIn(id as string, cancel as string) }),
      ...(labels && { labels }),
      ...(wait && { wait }),
      place: String(seq),
    };
  }
}
