// What the log of a run tells of its end and of its cancellation.

import { isRunCancelled } from "#core/bus/runtime-fault.js";
import type { RunStateName } from "#core/ports/run-state.js";
import type { RunCancelRequest, RunEntry } from "#core/ports/run-store.js";
import type { RunLog } from "./run-log.js";
import { decode } from "./stored-value.js";

/** Of a run that ended with a fault, or is being undone. A text in its place if it cannot be decoded. */
export function failureIn({ end, error: failing }: RunLog): unknown {
  const error = end !== undefined && "error" in end ? end.error : failing;
  if (error === undefined) return undefined;
  try {
    return decode(error);
  } catch {
    return "An error that cannot be decoded";
  }
}

/** Without a look at its host: an unfit run is running. */
export function stateIn({ end, isStuck }: RunLog, failure: unknown): RunStateName {
  if (end === undefined) return isStuck ? "stuck" : "running";
  if (!("error" in end)) return "completed";
  return isRunCancelled(failure) ? "cancelled" : "failed";
}

/** Of a run that no process had: its cancellation is in its log alone. */
export function cancelIn(
  entries: readonly RunEntry[],
  failure: unknown,
): Partial<RunCancelRequest> | undefined {
  if (!isRunCancelled(failure)) return undefined;
  const failed = entries.findLast((entry) => entry.kind === "failed");
  const actor = failed?.kind === "failed" ? failed.actor : undefined;
  return { reason: failure.reason, ...(failed && { at: failed.at }), ...(actor !== undefined && { actor }) };
}
