// A run that waits, by the entry with which it gave its log up.

import { type Fault, fault } from "#core/bus/outcome.js";
import { type RunWaiting, runtimeFault } from "#core/bus/runtime-fault.js";
import type { UnfinishedState } from "#core/ports/run-state.js";
import type { RunEntry } from "#core/ports/run-store.js";
import type { RunWait } from "#core/ports/run-waits.js";

export const isWait = (entry: RunEntry): boolean =>
  entry.kind === "waiting" || (entry.kind === "begun" && entry.continues !== undefined);

/** The state of a run that waits. */
export const waitState = ({ signals }: RunWait): UnfinishedState & ("waiting" | "sleeping") =>
  signals === undefined ? "sleeping" : "waiting";

/** The outcome of a run that waits from now on. */
export function waitingFault(runId: string, wait: RunEntry | RunWait): Fault<RunWaiting> {
  const signals = "signals" in wait ? wait.signals : undefined;
  return fault(runtimeFault({ code: "RUN_WAITING", runId, ...(signals && { signals }) }));
}

/** When it is due, by the clock of this process: a hint. Undefined: it waits for a signal alone. */
export function dueInMs(entry: RunEntry): number | undefined {
  if (entry.kind !== "waiting") return 0;
  const { inMs, due, at } = entry;
  return inMs ?? (due === undefined ? undefined : due - at);
}
