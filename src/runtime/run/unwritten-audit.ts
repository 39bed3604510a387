// An event that an audit log did not store: the time limit of its sink, and the report.

import type { Report } from "#core/bus/reporter.js";
import type { AuditEntry } from "#core/ports/audit-event.js";
import type { AuditUse } from "#core/ports/audit-use.js";

/** Time limit of a sink to store an event, in milliseconds. */
export const SINK_MS = 10_000;

/** The report of an event that was not stored, without its metadata. */
export function unwritten(
  { action, actor, target }: AuditEntry,
  onFailure: AuditUse["onFailure"],
  error: unknown,
): Pick<Report, "code" | "message" | "error"> {
  const then = onFailure === "refuse" ? "it was not done" : "it was done all the same";
  const message = `'${action}' on '${target}' by '${actor}' could not be recorded: ${then}`;
  return { code: "AUDIT_UNWRITTEN", message, error };
}
