// The audit log's hash chain and its latest verification.

import { Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Name, oneOf, orNull, Text, Time } from "./shapes.js";

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
