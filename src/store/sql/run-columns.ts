// The columns of the table of runs, in one list: a column is one entry of it. The SQL of appends to
// SQLite and PostgreSQL, their parameters and the migrations that add columns are made of it.

import { outcomeOf, type RunOutcome } from "#core/ports/run-list.js";
import { LONGEST_RETRY_MS, type RunEntry } from "#core/ports/run-store.js";
import type { SqlDialect } from "./sql-database.js";
import {
  dueOf,
  dueStored,
  type Growing,
  grownDue,
  grownSignals,
  isParked,
  takenOf,
  waitsForOf,
} from "./wait-columns.js";

/** Values of the column `state` of a run. */
export const RUN_STATE = { running: 0, stuck: 1, ended: 2 } as const;
/** By the values of the column `outcome`, which is null for runs that have not ended. */
export const OUTCOMES: readonly RunOutcome[] = ["completed", "failed", "cancelled"];
type RunState = (typeof RUN_STATE)[keyof typeof RUN_STATE];

/** What an append says of its run. */
export interface Growth {
  readonly id: string;
  readonly first: RunEntry;
  readonly last: RunEntry;
  readonly entries: readonly RunEntry[];
  readonly by: string | undefined;
  /** The subject of a beginning, as the column has it. */
  readonly subject: string | null;
  /** See Service. */
  readonly service: string;
}

type ColumnType = "text" | "bigint" | "smallint";

interface RunColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** The value by which a log begins. Absent: the default. */
  readonly of?: (growth: Growth) => string | number | null;
  /** What is stored of the value. `now` is the clock of the database. Default: the value. */
  readonly stored?: (value: string, now: string) => string;
  /**
   * When the log grows: set to the value, added to it, set if the value is not null, set to null
   * in any case, or to what the SQL says. Absent: it stays.
   */
  readonly grows?: "set" | "added" | "filled" | "cleared" | ((growing: Growing) => string);
  /** The migration that adds it, and how it is declared there. Absent: migration 1 has it. */
  readonly since?: { readonly version: number; readonly as: string };
}

/** In the order of the parameters of an append. */
const RUN_COLUMNS: readonly RunColumn[] = [
  { name: "id", type: "text", of: ({ id }) => id },
  { name: "known", type: "bigint", of: ({ entries }) => entries.length, grows: "added" },
  { name: "state", type: "smallint", of: ({ last }) => stateAfter(last), grows: "set" },
  { name: "began_at", type: "bigint", of: ({ last }) => last.at },
  // Times that are compared with the clock of the database are of that clock: those of processes differ.
  {
    ...{ name: "at", type: "bigint", grows: "set" },
    of: ({ last }) => (last.kind === "ended" ? null : last.at),
    stored: (value, now) => `coalesce(${value}, ${now})`,
  },
  {
    ...{ name: "retry_at", type: "bigint", grows: "set" },
    of: ({ last }) => waitAfter(last),
    stored: (value, now) => `coalesce(${now} + ${value}, 0)`,
  },
  {
    ...{ name: "host", type: "text", grows: "set" },
    of: ({ by, last }) => (isParked(last) ? null : (by ?? null)),
  },
  { name: "version", type: "text", of: ({ entries }) => versionOf(entries), grows: "filled" },
  { name: "trace", type: "text", of: ({ entries }) => traceOf(entries), grows: "filled" },
  { name: "axon", type: "text", of: ({ first }) => (first.kind === "begun" ? first.axon : null) },
  {
    name: "subject",
    type: "text",
    of: ({ subject }) => subject,
  },
  {
    name: "service",
    type: "text",
    of: ({ service }) => service,
    since: { version: 3, as: "text NOT NULL DEFAULT ''" },
  },
  // A request to cancel it, as JSON.
  { name: "cancel", type: "text", since: { version: 3, as: "text" } },
  // Why no code of the release `unfit_by` can resume it.
  { name: "unfit", type: "text", grows: "cleared", since: { version: 3, as: "text" } },
  { name: "unfit_by", type: "text", grows: "cleared", since: { version: 3, as: "text" } },
  {
    ...{ name: "node", type: "text", grows: "filled", since: { version: 6, as: "text" } },
    of: ({ entries }) => nodeOf(entries),
  },
  {
    ...{ name: "due", type: "bigint", grows: grownDue, since: { version: 7, as: "bigint" } },
    of: ({ last }) => dueOf(last),
    stored: dueStored,
  },
  {
    ...{ name: "waits_for", type: "text", grows: "set", since: { version: 7, as: "text" } },
    of: ({ last }) => waitsForOf(last),
  },
  // The parameter is the one that is taken.
  {
    ...{ name: "signals", type: "text", grows: grownSignals, since: { version: 7, as: "text" } },
    of: ({ entries }) => takenOf(entries),
    stored: () => "NULL",
  },
  // Null too where an earlier release ended it.
  {
    ...{ name: "outcome", type: "smallint", grows: "set", since: { version: 7, as: "smallint" } },
    of: ({ last }) => (last.kind === "ended" ? OUTCOMES.indexOf(outcomeOf(last)) : null),
  },
  // How many were ever kept.
  { name: "signalled", type: "bigint", since: { version: 7, as: "bigint NOT NULL DEFAULT 0" } },
  // The id that the application knows. Null once that run is told.
  {
    ...{ name: "tells", type: "text", since: { version: 7, as: "text" } },
    of: ({ first }) => (first.kind === "begun" ? (first.tells ?? null) : null),
  },
];

/** Those that have a value in an append. */
const GIVEN = RUN_COLUMNS.filter(({ of }) => of !== undefined);

/** The parameters of an append: the given columns, then `at_known`, the length of the log before, `entries` and `key_id`. */
export const APPEND_PARAMETERS: readonly { readonly name: string; readonly type: ColumnType }[] = [
  ...GIVEN,
  { name: "at_known", type: "bigint" },
  { name: "entries", type: "text" },
  { name: "key_id", type: "text" },
];

export const columnValues = (growth: Growth): readonly (string | number | null)[] =>
  GIVEN.map(({ of }) => of?.(growth) ?? null);

/** `INSERT INTO run (...)` takes these columns, from what `parameter` makes of their names. */
export const begunColumns = (
  parameter: (name: string) => string,
  now: string,
): { readonly columns: string; readonly values: string } => ({
  columns: GIVEN.map(({ name }) => name).join(", "),
  values: GIVEN.map((column) => storedOf(column, parameter, now)).join(", "),
});

/** The assignments of an UPDATE of the table `run` by a growing log. */
export const grownColumns = (
  run: string,
  given: (name: string) => string,
  { now, listed }: Pick<SqlDialect, "now" | "listed">,
): string => {
  const kept = (name: string): string => `${run}.${name}`;
  const grown = (column: RunColumn): string | undefined => {
    const { name, grows } = column;
    if (typeof grows === "function") return grows({ given, kept, now, listed });
    return grows && GROWN[grows](storedOf(column, given, now), kept(name));
  };
  return RUN_COLUMNS.flatMap((column) => {
    const value = grown(column);
    return value === undefined ? [] : [`${column.name} = ${value}`];
  }).join(", ");
};

const storedOf = ({ name, stored }: RunColumn, parameter: (name: string) => string, now: string): string =>
  stored?.(parameter(name), now) ?? parameter(name);

const GROWN: Readonly<Record<Extract<RunColumn["grows"], string>, (value: string, kept: string) => string>> =
  {
    set: (value) => value,
    added: (value, kept) => `${kept} + ${value}`,
    filled: (value, kept) => `coalesce(${value}, ${kept})`,
    cleared: () => "NULL",
  };

/** The statements of a migration that add the columns of its version. */
export const columnsSince = (run: string, version: number): readonly string[] =>
  RUN_COLUMNS.flatMap(({ name, since }) =>
    since?.version === version ? [`ALTER TABLE ${run} ADD COLUMN ${name} ${since.as}`] : [],
  );

const stateAfter = ({ kind }: RunEntry): RunState =>
  kind === "ended" ? RUN_STATE.ended : kind === "stuck" ? RUN_STATE.stuck : RUN_STATE.running;

/** How long hosts leave the run alone if its owner dies. */
function waitAfter(last: RunEntry): number | null {
  if (last.kind !== "resumed" || last.retry_at === undefined) return null;
  return Math.max(0, Math.min(LONGEST_RETRY_MS, last.retry_at - last.at));
}

function versionOf(entries: readonly RunEntry[]): string | null {
  const found = entries.findLast((entry) => entry.kind === "begun" || entry.kind === "resumed");
  return found?.version ?? null;
}

function nodeOf(entries: readonly RunEntry[]): string | null {
  const found = entries.findLast((entry) => "node" in entry);
  return found !== undefined && "node" in found ? found.node : null;
}

function traceOf(entries: readonly RunEntry[]): string | null {
  const found = entries.findLast((entry) => "trace" in entry && entry.trace !== undefined);
  return found === undefined || !("trace" in found) ? null : JSON.stringify(found.trace);
}
