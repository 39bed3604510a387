// One append to the log of a run: for which owner it is made, and what the store answers.

import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { RunCancelRequest, RunEntry, RunStore } from "#core/ports/run-store.js";
import type { Persistence } from "../definition/axon-definition.js";
import { pendingOf, settled } from "../run/answers.js";
import { inTime } from "../run/in-time.js";
import type { RunState } from "../run/run-state.js";

export interface JournalOptions {
  readonly axon: string;
  readonly version: string;
  readonly persistence: Persistence;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** The owner of runs that begin here; undefined for none. */
  readonly owner: RunOwner | undefined;
}

/** The same with another store. */
export const keptIn = (journal: JournalOptions, store: RunStore): JournalOptions => ({
  ...journal,
  persistence: { ...journal.persistence, store },
});

/** A run that a step of another run begins, or an operator. */
interface ChildRun {
  readonly runId: string;
  /** The run that is told of its end. */
  readonly tells?: string;
}

export type StartedRun =
  | { readonly kind: "begun" | "known"; readonly runId: string }
  | { readonly kind: "refused"; readonly error: unknown };

/** The host of a run: its process, as far as runs use it. */
export interface RunOwner {
  readonly id: string;
  /** True if its runs write no more entries: they are cut, and stay unfinished. */
  readonly isOver: boolean;
  /** Called once the beginning of a run is stored. */
  readonly begun: (id: string, state: RunState) => void;
  /** Called with a run that stopped because its log could not be extended (J2). */
  readonly lost: (id: string) => void;
  /** Called after each append to the log of a run. */
  readonly wrote: (id: string) => void;
  /** Called when a run waits from now on: it is due in this time, or by a signal alone. */
  readonly waits?: (dueInMs: number | undefined) => void;
  /** Called when a run has ended that another one is told of. */
  readonly tells?: () => void;
  /** Tells runs of the ends that they wait for. */
  readonly tellEnds?: () => Promise<void>;
  /** Begins a kept run of a mounted Axon, which is no other than itself if its id is known. */
  readonly startRun?: ((axon: string, input: unknown, child: ChildRun) => Promise<StartedRun>) | undefined;
}

/** The store's answer. A host's append is retried once: the store takes equal entries of a host once. */
export function appended(
  { persistence, clock }: JournalOptions,
  id: string,
  known: number,
  entries: readonly RunEntry[],
  owner: RunOwner | undefined,
): unknown {
  const { store, timeoutMs } = persistence;
  const ask = (): unknown => {
    const answer = store.append(id, known, entries, owner?.id);
    const pending = pendingOf(answer);
    return pending === undefined ? answer : inTime(pending, timeoutMs, clock);
  };
  return owner === undefined ? ask() : settled(ask, (answer) => answer, ask);
}

let claims = 0;

/** Makes each claim of a host unique. */
export function claimBy(owner: RunOwner | undefined): { readonly claim?: number } {
  if (owner === undefined) return {};
  claims += 1;
  return { claim: claims };
}

/** True if the entries are kept. A store may answer anything. */
export const isAppended = (answer: unknown): boolean =>
  answer === true || cancelIn(answer) !== undefined || isDueIn(answer);

/** True if the run waits from now on, and is due already. */
export const isDueIn = (answer: unknown): boolean =>
  (answer as { readonly isDue?: unknown } | null)?.isDue === true;

/** The request to cancel that waits in the row of the run. */
export const cancelIn = (answer: unknown): RunCancelRequest | undefined => {
  if (typeof answer !== "object" || answer === null || !("cancel" in answer)) return undefined;
  const { cancel } = answer as { readonly cancel: Partial<RunCancelRequest> | null | undefined };
  return typeof cancel?.reason === "string" ? (cancel as RunCancelRequest) : undefined;
};
