// Findings of the Inspector: stalled nodes, alerts.

import { type Static, Type } from "@sinclair/typebox";

import {
  Amount,
  closed,
  envelope,
  Name,
  oneOf,
  orNull,
  RequestName,
  Text,
  Time,
  WorkersSilent,
} from "./shapes.js";

export const Stall = Type.Object(
  {
    run_id: Name,
    circuit: Name,
    node: Name,
    label: Name,
    entered_at: Time,
    stalled_ms: Amount,
    threshold_ms: Amount,
    request: RequestName,
  },
  closed,
);
export type Stall = Static<typeof Stall>;
export const Stalls = envelope(
  "stalls",
  Type.Object({ stalls: Type.Array(Stall), threshold_ms: Amount, workers_silent: WorkersSilent }, closed),
);

export const Alert = Type.Object(
  {
    /** Constant for as long as the cause lasts: `error_rate:orders`. */
    key: Name,
    kind: oneOf("stall", "error_rate", "dead_letter", "budget", "worker_crash"),
    state: oneOf("active", "resolved"),
    severity: oneOf("warning", "critical"),
    circuit: orNull(Name),
    node: orNull(Name),
    title: Text,
    /** What was seen and what was allowed: "12.0 % of 350 runs faulted in 60 s; at most 5 % may". */
    cause: Text,
    since: Time,
    last_at: Time,
    resolved_at: orNull(Time),
    /** Example runs, the newest first, five at most. */
    run_ids: Type.Array(Name, { maxItems: 5 }),
  },
  closed,
);
export type Alert = Static<typeof Alert>;
export const Alerts = envelope(
  "alerts",
  Type.Object({ alerts: Type.Array(Alert), workers_silent: WorkersSilent }, closed),
);
