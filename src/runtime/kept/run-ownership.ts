// Which process a kept run is at work in, as far as this process and the row of the run know.

import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type RunCancelled, runtimeFault } from "#core/bus/runtime-fault.js";
import type { RunCancelRequest, RunOwnership } from "#core/ports/run-store.js";
import { pendingOf } from "../run/answers.js";
import { inTime } from "../run/in-time.js";
import type { JournalOptions, RunOwner } from "./appended.js";
import { atWork } from "./run-at-work.js";

export const cancelledBy = (runId: string, { reason }: RunCancelRequest): RunCancelled =>
  runtimeFault({ code: "RUN_CANCELLED", runId, reason });

/** Rejects if the store does not answer within its time. */
export async function asked<T>(
  { persistence, clock }: JournalOptions,
  ask: () => MaybePromise<T>,
): Promise<T> {
  const answer = ask();
  const pending = pendingOf(answer);
  return pending === undefined ? answer : (inTime(pending, persistence.timeoutMs, clock) as Promise<T>);
}

/** Undefined for an unknown run, and where the store cannot tell. */
export const ownershipOf = (journal: JournalOptions, id: string): Promise<RunOwnership | undefined> =>
  asked(journal, () => journal.persistence.store.ownership?.(id));

/** True if the run is at work in this process, or in another host whose lease lives. */
export const isAtWork = (
  { persistence }: JournalOptions,
  id: string,
  row: RunOwnership | undefined,
  by: RunOwner | undefined,
): boolean =>
  atWork(persistence.store, id) !== undefined ||
  // A stuck run is left by the host that found it so. This host's own are at work here, or lost.
  (row?.state === "running" && row.isAlive && row.host !== by?.id);
