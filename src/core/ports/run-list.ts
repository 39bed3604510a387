// Lists of kept runs, ended ones too. Part of RunStore.

import type { LabelFilter } from "../bus/label.js";
import type { RunStateName } from "./run-state.js";
import type { UnfinishedRun } from "./unfinished-run.js";

export interface RunListFilter {
  /** Only runs of the Axons with these names. */
  readonly axons?: readonly string[];
  /** Only runs in these states. */
  readonly states?: readonly RunStateName[];
  /** Only runs about this person: see "begun". */
  readonly subject?: string;
  readonly label?: LabelFilter;
  /** Only runs that began at this time or later, in milliseconds since 1970. */
  readonly since?: number;
  /** Only runs that began before this time. */
  readonly until?: number;
  /** Whose marks make runs unfit. Default: each release's. */
  readonly release?: string;
  /** Only runs behind this `place`. */
  readonly after?: string;
  readonly limit: number;
}

export interface ListedRun extends UnfinishedRun {
  readonly state: RunStateName;
  /** By the clock of the store, in milliseconds since 1970. */
  readonly ended_at?: number;
  readonly place: string;
}

export type RunOutcome = "completed" | "failed" | "cancelled";

/** Of the last entry of an ended run. */
export function outcomeOf(end: { readonly kind: string; readonly error?: unknown }): RunOutcome {
  if (end.kind !== "ended" || !("error" in end)) return "completed";
  // As a RuntimeFault is encoded.
  const { $: tagged } = (end.error ?? {}) as { readonly $?: unknown };
  const [kind, fields] = Array.isArray(tagged) ? (tagged as readonly unknown[]) : [];
  const { code } = (fields ?? {}) as { readonly code?: unknown };
  return kind === "fault" && code === "RUN_CANCELLED" ? "cancelled" : "failed";
}

/** Which ended runs are forgotten. */
export interface RunChoice {
  /** Only runs of these Axons. */
  readonly axons?: readonly string[];
  /** None of these Axons. */
  readonly not?: readonly string[];
  /** "completed": all but failed ones. */
  readonly outcome?: "completed" | "failed";
}
