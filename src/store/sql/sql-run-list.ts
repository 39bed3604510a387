// Lists runs, the newest first, by the index of what is asked for: each branch of the query stops at
// the limit. The rest of the filter is looked up in the rows.

import type { Codec } from "#core/ports/codec.js";
import { type ListedRun, outcomeOf, type RunListFilter } from "#core/ports/run-list.js";
import { RUN_STATE_NAMES, type RunStateName } from "#core/ports/run-state.js";
import type { RunEntry } from "#core/ports/run-store.js";
import type { ListedRows } from "./listed-rows.js";
import { entriesPlace, subjectForms } from "./places.js";
import { OUTCOMES, RUN_STATE } from "./run-columns.js";
import { termFormsOf } from "./run-labels.js";
import type { Service } from "./service.js";
import type { Row, SqlDatabase, SqlValue } from "./sql-database.js";

export class SqlRunList {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: Service;
  readonly #rows: ListedRows;

  constructor(database: SqlDatabase, codec: Codec, service: Service, rows: ListedRows) {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    this.#rows = rows;
  }

  async list(filter: RunListFilter): Promise<readonly ListedRun[]> {
    const { states = RUN_STATE_NAMES, axons, release, limit } = filter;
    if (states.length === 0 || axons?.length === 0) return [];
    const { sql, values } = this.#query(filter);
    const rows = await this.#database.read(sql, values);
    const known = await Promise.all(
      rows.map(async (row) => this.#rows.stateOf(row, release) ?? (await this.#outcomeOf(row))),
    );
    const fitting = rows
      .map((row, at) => ({ row, state: known[at] as RunStateName }))
      .filter(({ state }) => states.includes(state))
      .slice(0, limit);
    const runs = await this.#rows.read(fitting.map(({ row }) => row));
    return runs.map((run, at) => {
      const { state, row } = fitting[at] as (typeof fitting)[number];
      const hasEnded = Number(row["state"]) === RUN_STATE.ended;
      return { ...run, state, ...(hasEnded && { ended_at: run.at }) };
    });
  }

  /** A run of an earlier release: its last part tells. */
  async #outcomeOf({ seq, id }: Row): Promise<RunStateName> {
    const { run_part: part } = this.#database.tables;
    const [row] = await this.#database.read(
      `SELECT known, entries, key_id FROM ${part} WHERE run = $1 ORDER BY known DESC LIMIT 1`,
      [seq as SqlValue],
    );
    if (row === undefined) return "completed";
    const place = entriesPlace(String(id), Number(row["known"]));
    try {
      const text = await this.#codec.decode(String(row["entries"]), row["key_id"] as string | null, place);
      return outcomeOf((JSON.parse(text) as readonly RunEntry[]).at(-1) as RunEntry);
    } catch {
      // It must not hide the others.
      return "failed";
    }
  }

  #query(filter: RunListFilter): { readonly sql: string; readonly values: readonly SqlValue[] } {
    const { axons, states = RUN_STATE_NAMES, subject, label, since, until, release, after, limit } = filter;
    const { run, run_label: labels } = this.#database.tables;
    const values: SqlValue[] = [];
    const given = (value: SqlValue): string => `$${values.push(value)}`;
    // PostgreSQL refuses a parameter that it does not find.
    let mark: string | undefined;
    const isUnfit = (): string => {
      mark ??= `r.unfit_by LIKE ${given(`%${release ?? ""}%`)}`;
      return mark;
    };
    const where = [`r.service IN ('', ${given(this.#service.name)})`];
    if (since !== undefined) where.push(`r.began_at >= ${given(since)}`);
    if (until !== undefined) where.push(`r.began_at < ${given(until)}`);
    if (after !== undefined) where.push(`r.seq < ${given(Number(after))}`);
    const each = axons?.map((axon) => `r.axon = ${given(axon)}`);
    const inStates = branchesOf(states, isUnfit);
    const row = [`(${inStates.join(" OR ")})`, ...(each ? [`(${each.join(" OR ")})`] : [])];
    const most = given(limit);
    const branch = (from: string, order: string, ...more: readonly string[]): string =>
      `SELECT * FROM (SELECT r.* FROM ${from} WHERE ${[...more, ...where].join(" AND ")}
        ORDER BY ${order} DESC LIMIT ${most}) AS branch`;
    const branches = (): readonly string[] => {
      if (label !== undefined)
        return termFormsOf(this.#codec, label).map((term) =>
          branch(`${labels} l JOIN ${run} r ON r.seq = l.run`, "l.run", `l.term = ${given(term)}`, ...row),
        );
      if (subject !== undefined)
        return subjectForms(this.#codec, subject).map((form) =>
          branch(`${run} r`, "r.seq", "r.subject IS NOT NULL", `r.subject = ${given(form)}`, ...row),
        );
      return (each ?? [undefined]).flatMap((axon) =>
        inStates.map((state) => branch(`${run} r`, "r.seq", state, ...(axon ? [axon] : []))),
      );
    };
    const sql = `SELECT ${this.#rows.columns} FROM (${branches().join(" UNION ALL ")}) AS r
      ORDER BY r.seq DESC LIMIT ${most}`;
    return { sql, values };
  }
}

/** SQL of each of the states of a run `r`, as the partial indexes have it. `isUnfit` of one with a mark. */
function branchesOf(states: readonly RunStateName[], isUnfit: () => string): readonly string[] {
  const isFit = (): string => `(r.unfit_by IS NULL OR NOT ${isUnfit()})`;
  const open = `r.state < ${RUN_STATE.ended}`;
  const running = `r.state = ${RUN_STATE.running}`;
  const of: Readonly<Partial<Record<RunStateName, () => string>>> = {
    running: () => `${running} AND r.waits_for IS NULL AND ${isFit()}`,
    waiting: () => `${open} AND r.waits_for <> '[]' AND ${running} AND ${isFit()}`,
    sleeping: () => `${open} AND r.waits_for = '[]' AND ${running} AND ${isFit()}`,
    stuck: () => `r.state = ${RUN_STATE.stuck}`,
    unfit: () => `${open} AND r.unfit_by IS NOT NULL AND ${running} AND ${isUnfit()}`,
  };
  const outcomes = OUTCOMES.flatMap((name, at) =>
    states.includes(name) ? [`r.state = ${RUN_STATE.ended} AND r.outcome = ${at}`] : [],
  );
  // Rows of an earlier release may have any outcome.
  const unknown = outcomes.length > 0 ? [`r.state = ${RUN_STATE.ended} AND r.outcome IS NULL`] : [];
  return [...states.flatMap((state) => of[state]?.() ?? []), ...outcomes, ...unknown];
}
