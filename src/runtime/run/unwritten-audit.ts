// An event that an audit log has not kept: when its sink has failed, and what is reported.

import type { Report } from "#core/bus/reporter.js";
import type { AuditEntry } from "#core/ports/audit-event.js";
import type { AuditUse } from "#core/ports/audit-use.js";

/** How long a sink may take to keep an event. */
export const SINK_MS = 10_000;

/** What is reported of an event that is not kept, without its metadata. */
export function unwritten(
  { action, actor, target }: AuditEntry,
  onFailure: AuditUse["onFailure"],
  error: unknown,
): Pick<Report, "code" | "message" | "error"> {
  const then = onFailure === "refuse" ? "it was not done" : "it was done all the same";
  const message = `'${action}' on '${target}' by '${actor}' could not be recorded: ${then}`;
  return { code: "AUDIT_UNWRITTEN", message, error };
}
