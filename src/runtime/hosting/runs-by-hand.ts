// Lists of kept runs for programs.

import { labelIn, type RunLabels } from "#core/bus/label.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { ListedRun, RunListFilter } from "#core/ports/run-list.js";
import { RUN_STATE_NAMES, type RunStateName } from "#core/ports/run-state.js";
import type { RunStore } from "#core/ports/run-store.js";
import { hashedSubject } from "../run/subject.js";
import { runPage } from "./listed-runs.js";

export interface RunListOptions {
  /** Only runs of this Axon. */
  readonly axon?: string;
  readonly state?: RunStateName;
  /** Only runs about this person: the name of the verified identity, or that of `withSubject`. */
  readonly subject?: string;
  /** Only runs with this label: `order:123`. */
  readonly label?: string;
  /** Only runs that began at this time or later: a date, or milliseconds since 1970. */
  readonly since?: Date | number;
  /** Only runs that began before this time. */
  readonly until?: Date | number;
  /** From 1 to 1000. Default 100. */
  readonly limit?: number;
  /** Of the page before: the list goes on behind it. */
  readonly cursor?: string;
}

/** A kept run in a list. Times are in milliseconds since 1970. */
interface RunInList {
  readonly runId: string;
  readonly axon: string;
  readonly version: string;
  readonly state: RunStateName;
  readonly beganAt: number;
  /** Time of the last entry of its log: of a run that waits, since when it does. */
  readonly lastAt: number;
  readonly endedAt?: number;
  /** The node at work, or at which it goes on. */
  readonly node?: string;
  /** The signals that a waiting run waits for. */
  readonly signals?: readonly string[];
  /** When a run that waits or sleeps is due. */
  readonly until?: number;
  /** Why it is unfit. */
  readonly reason?: string;
  readonly labels?: RunLabels;
}

export interface RunsInList {
  readonly runs: readonly RunInList[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

const CALL = "runs.list()";
const OPTIONS = ["axon", "state", "subject", "label", "since", "until", "limit", "cursor"];

/** `axons`: those whose runs may be listed. */
export async function listByHand(
  stores: readonly RunStore[],
  { axons, release }: { readonly axons: readonly string[]; readonly release: string },
  options: RunListOptions,
): Promise<RunsInList> {
  const { label, cursor } = options;
  const filter = { ...filterOf(options), axons, release };
  if (stores.some(({ list }) => list === undefined))
    throw invalidOption(CALL, "the store of the runs has no list: use a store of openStores, or MemoryRuns");
  if (label !== undefined && stores.some(({ findsLabels }) => findsLabels !== true))
    throw invalidOption(CALL, "the store of the runs finds none by a label: leave it out");
  const page = await runPage(stores, filter, cursor);
  if (page === undefined) throw invalidOption(CALL, "cursor must be that of a page of the same list");
  return {
    runs: page.runs.map(({ run }) => shown(run)),
    ...(page.cursor !== undefined && { cursor: page.cursor }),
  };
}

function filterOf(options: RunListOptions): RunListFilter {
  requireKnownOptions(CALL, options, OPTIONS);
  const { state, subject, label, limit = 100 } = options;
  if (state !== undefined && !RUN_STATE_NAMES.includes(state))
    throw invalidOption(CALL, `state must be one of ${RUN_STATE_NAMES.join(", ")}`);
  if (subject !== undefined && (typeof subject !== "string" || subject === ""))
    throw invalidOption(CALL, "subject must be a text that is not empty");
  const wanted = typeof label === "string" ? labelIn(label) : undefined;
  if (label !== undefined && wanted === undefined)
    throw invalidOption(CALL, "label must be a name and a value, as in 'order:123'");
  const since = timeOf("since", options.since);
  const until = timeOf("until", options.until);
  return {
    limit: requireWhole(CALL, "limit", limit, 1, 1000),
    ...(state !== undefined && { states: [state] }),
    ...(subject !== undefined && { subject: hashedSubject(subject) }),
    ...(wanted !== undefined && { label: wanted }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

function timeOf(name: string, given: Date | number | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = Math.ceil(Number(given));
  if (!Number.isSafeInteger(ms))
    throw invalidOption(CALL, `${name} must be a date, or milliseconds since 1970`);
  return ms;
}

const shown = ({ id, axon, version, state, began_at, at, ...run }: ListedRun): RunInList => ({
  ...{ runId: id, axon, version, state, beganAt: began_at, lastAt: at },
  ...(run.ended_at !== undefined && { endedAt: run.ended_at }),
  ...(run.node !== undefined && { node: run.node }),
  ...(run.wait?.signals && { signals: run.wait.signals }),
  ...(run.wait?.due !== undefined && { until: run.wait.due }),
  ...(state === "unfit" && run.unfit !== undefined && { reason: run.unfit }),
  ...(run.labels && { labels: run.labels }),
});
