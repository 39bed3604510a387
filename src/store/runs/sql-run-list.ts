// Lists runs, the newest first, by the index of what is asked for: each branch of the query stops at
// the limit. The rest of the filter is looked up in the rows. The newest is the one that began last, but
// for those with a label: their rows have the place of the run alone.

import type { Codec } from "#core/ports/codec.js";
import { type ListedRun, outcomeOf, type RunListFilter } from "#core/ports/run-list.js";
import { RUN_STATE_NAMES, type RunStateName } from "#core/ports/run-state.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { entriesPlace, subjectForms } from "../sql/places.js";
import { OUTCOMES, RUN_STATE } from "../sql/run-columns.js";
import type { Service } from "../sql/service.js";
import type { Row, SqlDatabase, SqlValue } from "../sql/sql-database.js";
import type { ListedRows } from "./listed-rows.js";
import { termFormsOf } from "./run-labels.js";

interface Branches {
  readonly open: readonly string[];
  readonly ended: readonly string[];
}

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
      const place = `${run.began_at} ${run.place}`;
      return { ...run, place, state, ...(hasEnded && { ended_at: run.at }) };
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
    const order = label === undefined ? ["began_at", "seq"] : ["seq"];
    if (after !== undefined) {
      const [began = 0, place = 0] = after.split(" ").map((part) => Number(part) || 0);
      where.push(
        label === undefined
          ? `(r.began_at, r.seq) < (${given(began)}, ${given(place)})`
          : `r.seq < ${given(place)}`,
      );
    }
    const each = axons?.map((axon) => `r.axon = ${given(axon)}`);
    const { open, ended } = branchesOf(states, isUnfit);
    const row = [`(${[...open, ...ended].join(" OR ")})`, ...(each ? [`(${each.join(" OR ")})`] : [])];
    const most = given(limit);
    const newest = order.map((name) => `r.${name} DESC`).join(", ");
    const branch = (from: string, first: string, ...more: readonly string[]): string =>
      `SELECT * FROM (SELECT r.* FROM ${from} WHERE ${[...more, ...where].join(" AND ")}
        ORDER BY ${first} LIMIT ${most}) AS branch`;
    const branches = (): readonly string[] => {
      if (label !== undefined)
        return termFormsOf(this.#codec, label).map((term) =>
          branch(
            `${labels} l JOIN ${run} r ON r.seq = l.run`,
            "l.run DESC",
            `l.term = ${given(term)}`,
            ...row,
          ),
        );
      if (subject !== undefined)
        return subjectForms(this.#codec, subject).map((form) =>
          branch(`${run} r`, newest, "r.subject IS NOT NULL", `r.subject = ${given(form)}`, ...row),
        );
      if (each === undefined) return [...open, ...ended].map((state) => branch(`${run} r`, newest, state));
      // Unfinished ones of an Axon have one index for all their states.
      const unfinished = open.length === 0 ? [] : [`${UNFINISHED} AND (${open.join(" OR ")})`];
      return each.flatMap((axon) =>
        [...unfinished, ...ended].map((state) => branch(`${run} r`, newest, axon, state)),
      );
    };
    // Of the runs within the limit alone: PostgreSQL would read the tables of others for all of them.
    const sql = `SELECT ${this.#rows.columns} FROM (SELECT * FROM (${branches().join(" UNION ALL ")}) AS r
      ORDER BY ${newest} LIMIT ${most}) AS r ORDER BY ${newest}`;
    return { sql, values };
  }
}

const UNFINISHED = `r.state < ${RUN_STATE.ended}`;
const ENDED = `r.state = ${RUN_STATE.ended}`;

/** SQL of each of the states of a run `r`, as the partial indexes have it. `isUnfit` of one with a mark. */
function branchesOf(states: readonly RunStateName[], isUnfit: () => string): Branches {
  const isFit = (): string => `(r.unfit_by IS NULL OR NOT ${isUnfit()})`;
  const running = `r.state = ${RUN_STATE.running}`;
  const of: Readonly<Partial<Record<RunStateName, () => string>>> = {
    running: () => `${UNFINISHED} AND ${running} AND r.waits_for IS NULL AND ${isFit()}`,
    waiting: () => `${UNFINISHED} AND r.waits_for <> '[]' AND ${running} AND ${isFit()}`,
    sleeping: () => `${UNFINISHED} AND r.waits_for = '[]' AND ${running} AND ${isFit()}`,
    stuck: () => `${UNFINISHED} AND r.state = ${RUN_STATE.stuck}`,
    unfit: () => `${UNFINISHED} AND r.unfit_by IS NOT NULL AND ${running} AND ${isUnfit()}`,
  };
  const outcomes = OUTCOMES.flatMap((name, at) =>
    states.includes(name) ? [`${ENDED} AND r.outcome = ${at}`] : [],
  );
  // Rows of an earlier release may have any outcome.
  const unknown = outcomes.length > 0 ? [`${ENDED} AND r.outcome IS NULL`] : [];
  return { open: states.flatMap((state) => of[state]?.() ?? []), ended: [...outcomes, ...unknown] };
}
