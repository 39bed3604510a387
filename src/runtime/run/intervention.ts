// Interventions in the runs of an Axon: the action and its actor. They are recorded before they
// take effect.

import { type Fault, fault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { type AuditFailed, runtimeFault } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import type { AuditEntry } from "#core/ports/audit-event.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import { inTime } from "./in-time.js";
import { SINK_MS, unwritten } from "./unwritten-audit.js";

/** The actor of an intervention in runs. */
export interface Intervention {
  /** The actor of the audit event. */
  readonly actor: string;
  /** The reason, in the actor's words. */
  readonly intent?: string;
  /** @internal Set if the caller records the intervention itself. */
  readonly recordedIn?: AuditSink | undefined;
}

/** Used when the caller names no actor: the program itself. */
export const BY_PROGRAM: Intervention = { actor: "program" };

interface Recording {
  readonly axon: string;
  readonly use: AuditUse | undefined;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

/** Resolves to undefined if the intervention may take effect. */
export async function recorded(
  // Not destructured here: `stripInternal` leaves no `recordedIn` in the declarations.
  intervention: Intervention,
  entry: Pick<AuditEntry, "action" | "target" | "metadata">,
  { axon, use, clock, reporter }: Recording,
): Promise<Fault<AuditFailed> | undefined> {
  const { actor, intent, recordedIn } = intervention;
  if (use === undefined || use.sink === recordedIn) return undefined;
  const whole = { ...entry, actor, ...(intent !== undefined && { intent }) };
  try {
    await inTime(use.sink.append(whole), SINK_MS, clock);
    return undefined;
  } catch (error) {
    reporter({ ...unwritten(whole, use.onFailure, error), axon });
    if (use.onFailure === "log") return undefined;
    return fault(runtimeFault({ code: "AUDIT_FAILED", step: entry.action, cause: error }));
  }
}
