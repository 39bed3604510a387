// The audit log: its events, its hash chain and the latest verification.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Json, Name, oneOf, orNull, Text, Time } from "./shapes.js";

const Mark = Type.Object(
  {
    number: Count,
    timestamp: Text,
    /** Position of the last event that it covers. */
    last: Count,
  },
  closed,
);

const Verified = Type.Object(
  {
    is_sound: Type.Boolean(),
    /** Whether its checkpoints were verified with public keys: without them a recomputed chain is not found. */
    is_signed: Type.Boolean(),
    verified_at: Time,
    duration_ms: Amount,
    events: Count,
    checkpoints: Count,
    /** The newest checkpoint of the log. */
    newest: orNull(Mark),
    /** The newest one of the anchor. */
    anchored: orNull(Mark),
    /** Events after the newest anchored checkpoint; without an anchor, after the newest checkpoint. */
    behind: Count,
    /** The first 100. */
    failures: Type.Array(
      Type.Object({ kind: Name, position: orNull(Count), checkpoint: orNull(Count), message: Text }, closed),
    ),
    failure_count: Count,
    notes: Type.Array(Text),
  },
  closed,
);

export const AuditStatus = envelope(
  "audit",
  Type.Object(
    {
      /** Where the log is, without a password. */
      log: Text,
      /** `running`: a verification takes longer than this answer waits for; ask again. */
      state: oneOf("running", "done"),
      /** Events that the running verification has read, in ten thousands. */
      events_read: Count,
      /** Of the newest verification that is done, at most a minute old; null before the first one. */
      result: orNull(Verified),
    },
    closed,
  ),
);

/** A text as it was recorded, or `sealed:1:PSEUDONYM`. */
const Asked = Type.Optional(Type.String({ minLength: 1, maxLength: 2300 }));

export const AuditEventsQuery = Type.Object(
  {
    actor: Asked,
    action: Asked,
    target: Asked,
    /** Id of a run: events with it as target, or as `run_id` in their metadata. */
    run: Asked,
    /** Part of a text of the event as shown, in any case. */
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    since: Type.Optional(Time),
    /** Exclusive. */
    until: Type.Optional(Time),
    /** Only events before this position: `next` of the response before. */
    before: Type.Optional(Type.Integer()),
    /** Default 100. */
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  },
  closed,
);
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;

export const ShownAuditEvent = Type.Object(
  {
    position: Type.Integer(),
    /** Null if the row cannot be read. */
    event: orNull(
      Type.Object(
        {
          id: Text,
          /** With microseconds, as it was recorded. */
          timestamp: Text,
          actor: Text,
          action: Text,
          target: Text,
          intent: orNull(Text),
          /** A masked copy of at most 16 KiB; sealed texts without their ciphertext. */
          metadata: Json,
          is_cut: Type.Boolean(),
        },
        closed,
      ),
    ),
    /** Why the row is not as it was written; null if its own hash fits. */
    problem: orNull(Text),
  },
  closed,
);
export type ShownAuditEvent = Static<typeof ShownAuditEvent>;

export const AuditEvents = envelope(
  "audit_events",
  Type.Object(
    {
      /** Where the log is, without a password. */
      log: Text,
      /** The newest first. */
      events: Type.Array(ShownAuditEvent),
      /** `before` of the next, older page; null at the end of the log. */
      next: orNull(Type.Integer()),
      /** Number of events that were read. `run` and `text` read at most 2000. */
      read: Count,
    },
    closed,
  ),
);
