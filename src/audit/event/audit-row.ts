import { FrameworkError } from "#core/errors.js";
import type { AuditEvent, PlacedAuditEvent } from "#core/ports/audit-event.js";
import type { AuditRow } from "#core/ports/audit-sink.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";

const TEXTS = ["id", "timestamp", "actor", "action", "target", "prev_hash", "hash"] as const;

/** A row of a store: members unchanged, metadata as JSON text. Never throws, even for forged rows. */
export function readRow(
  position: number,
  members: Readonly<Record<string, unknown>>,
  metadata: unknown,
): AuditRow {
  const bad = TEXTS.find((name) => typeof members[name] !== "string");
  if (bad !== undefined) return { position, unreadable: `its ${bad} is no text` };
  if (members["intent"] !== undefined && typeof members["intent"] !== "string")
    return { position, unreadable: "its intent is no text" };
  try {
    const parsed: unknown = JSON.parse(String(metadata));
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    // Otherwise a change of white space, or of a duplicate member, would change no hash.
    if (isObject && canonicalJson(parsed as Json) === metadata)
      return { position, event: { ...members, metadata: parsed } as unknown as AuditEvent };
  } catch {
    // No JSON, or nested too deep to be read.
  }
  return { position, unreadable: "its metadata is no canonical JSON" };
}

/** For callers that cannot handle a forged row. */
export function requireReadable(shown: string, row: AuditRow): PlacedAuditEvent {
  if ("event" in row) return row;
  throw new FrameworkError(
    "AUDIT_CHAIN_BROKEN",
    `${shown}: event ${row.position} was changed: ${row.unreadable}; run "framework audit verify"`,
  );
}
