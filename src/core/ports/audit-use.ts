// How a step, an Axon or the Inspector writes to an audit log.

import { invalidOption, requireKnownOptions } from "../invalid-option.js";
import type { AuditEntry } from "./audit-event.js";
import type { AuditSink } from "./audit-sink.js";

/**
 * If an event cannot be kept: "refuse" does not run the recorded action, "log" reports it as
 * AUDIT_UNWRITTEN and runs the action.
 */
export type AuditFailureMode = "refuse" | "log";

export interface AuditUse {
  readonly sink: AuditSink;
  readonly onFailure: AuditFailureMode;
}

/** The record of a step, made each time it runs. */
export interface StepAudit {
  /** Undefined: the sink of the Axon, or of its mount. */
  readonly sink: AuditSink | undefined;
  readonly onFailure: AuditFailureMode;
  /** Undefined if it depends on the run. */
  readonly action: string | undefined;
  readonly entryOf: (input: never, bus: never) => AuditEntry;
}

/** Throws CONFIG_INVALID. */
export function requireAuditSink(call: string, sink: AuditSink): AuditSink {
  if (typeof (sink as Partial<AuditSink> | undefined)?.append === "function") return sink;
  throw invalidOption(
    call,
    "the sink has no function 'append': give it the audit of openStores(...), or a sink of framework/audit",
  );
}

/** Throws CONFIG_INVALID. */
export function requireAuditFailureMode(call: string, mode: AuditFailureMode): AuditFailureMode {
  if (mode === "refuse" || mode === "log") return mode;
  throw invalidOption(call, `onFailure '${mode}' is neither 'refuse' nor 'log'`);
}

/** Throws CONFIG_INVALID. */
export function auditUse(
  call: string,
  sink: AuditSink,
  options: { readonly onFailure?: AuditFailureMode },
): AuditUse {
  requireKnownOptions(call, options, ["onFailure"]);
  return {
    sink: requireAuditSink(call, sink),
    onFailure: requireAuditFailureMode(call, options.onFailure ?? "log"),
  };
}
