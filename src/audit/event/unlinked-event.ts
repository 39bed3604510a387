// An entry prepared for a sink. Canonical JSON sorts members by name, so that the place of `prev_hash`
// is known: a sink hashes around it without serialising again.

import { hash as digest, randomUUID } from "node:crypto";
import { FrameworkError } from "#core/errors.js";
import type { AuditEntry, AuditEvent, PlacedAuditEvent } from "#core/ports/audit-event.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import { askedText, fittingText } from "./fitting-text.js";
import { type FittingMetadata, fittingMetadata, NotPlain } from "./plain-json.js";
import { isTimestamp, microsecondsNow, timestampOf } from "./timestamp.js";

/** An event without its link. */
export interface UnlinkedEvent {
  readonly event: Omit<AuditEvent, "prev_hash" | "hash">;
  readonly metadata: FittingMetadata;
  /** Canonical JSON of the event before and after its `prev_hash`. */
  readonly before: string;
  readonly behind: string;
}

/** In UTF-8. Longer texts do not fit into an index of PostgreSQL. */
const MAX_TEXT_BYTES = { id: 200, actor: 2300, action: 200, target: 2300, intent: 4000 } as const;

const MEMBERS = ["id", "timestamp", "actor", "action", "target", "intent", "metadata"];

/** Throws AUDIT_EVENT_INVALID. `now` is in microseconds since 1970. */
export function unlinkedEvent(entry: AuditEntry, now: () => number = microsecondsNow): UnlinkedEvent {
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined)
    throw invalid(`'${visible(unknown)}' is no member of an entry: put it into metadata`);
  const { id = randomUUID(), timestamp = timestampOf(now()), actor, action, target, intent } = entry;
  if (typeof timestamp !== "string" || !isTimestamp(timestamp))
    throw invalid("timestamp is not UTC text with microseconds, such as 2026-01-31T12:00:00.000000Z");
  const texts = {
    id: fitting("id", id),
    actor: fitting("actor", actor),
    action: fitting("action", action),
    target: fitting("target", target),
    ...(intent !== undefined && intent !== "" && { intent: fitting("intent", intent) }),
  };
  const metadata = metadataOf(entry.metadata ?? {});
  const { target: kept, ...head } = texts;
  return {
    event: { ...texts, timestamp, metadata: metadata.json },
    metadata,
    before: `${canonicalJson(head).slice(0, -1)},"metadata":${metadata.text},"prev_hash":"`,
    behind: `",${canonicalJson({ target: kept, timestamp }).slice(1)}`,
  };
}

/** The event after the one with this hash. */
export function linked({ event, before, behind }: UnlinkedEvent, previous: string): AuditEvent {
  return { ...event, prev_hash: previous, hash: sha256(`${before}${previous}${behind}`) };
}

/** The hash that an event must have. Throws if it is no JSON. */
export function hashOf({ hash: _, ...event }: AuditEvent): string {
  return sha256(canonicalJson(event as unknown as Json));
}

/** The kept event, for an entry with its id. Throws AUDIT_ID_TAKEN if it differs. */
export function sameEvent(kept: PlacedAuditEvent, { event }: UnlinkedEvent): PlacedAuditEvent {
  const differs = (["actor", "action", "target", "intent"] as const).find(
    (name) => kept.event[name] !== event[name],
  );
  if (differs === undefined) return kept;
  throw new FrameworkError(
    "AUDIT_ID_TAKEN",
    `An audit event with the id '${visible(event.id)}' is kept at position ${kept.position} and has another ${differs}: give each event an id of its own`,
  );
}

/** The one-call hash: an object for each hash would be freed late, and verification makes millions. */
const sha256 = (text: string): string => digest("sha256", text);

/** A text as it is kept in an event. Throws AUDIT_EVENT_INVALID. */
export function fitting(
  name: keyof typeof MAX_TEXT_BYTES,
  text: unknown,
  maxBytes: number = MAX_TEXT_BYTES[name],
): string {
  if (typeof text !== "string") throw invalid(`${name} is no text`);
  return fittingText(text, maxBytes);
}

/** The text that a query for an event means. */
export const asked = (name: keyof typeof MAX_TEXT_BYTES, text: string): string =>
  askedText(text, MAX_TEXT_BYTES[name]);

function metadataOf(metadata: unknown): FittingMetadata {
  try {
    return fittingMetadata(metadata);
  } catch (error) {
    if (error instanceof NotPlain) throw invalid(error.message);
    throw error;
  }
}

const invalid = (reason: string): FrameworkError =>
  new FrameworkError("AUDIT_EVENT_INVALID", `An audit event cannot be kept: ${reason}`);
