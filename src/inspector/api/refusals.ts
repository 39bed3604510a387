// What stored refused runs, and requests without a route, have in common.

import { type Static, Type } from "@sinclair/typebox";

import { MetricsWindow } from "./metrics.js";
import { Count, closed, envelope, oneOf, Text, WorkersSilent } from "./shapes.js";

/** Seconds. Default: since the process began. */
export const RefusalsQuery = Type.Object({ window: Type.Optional(MetricsWindow) }, closed);

const RefusalGroup = Type.Object(
  {
    /** `client`: its identity or address; for viewers a pseudonym. `unmatched`: the nearest route, or "none". */
    by: oneOf("code", "route", "pointer", "client", "unmatched"),
    value: Text,
    count: Count,
  },
  closed,
);
export type RefusalGroup = Static<typeof RefusalGroup>;

export const Refusals = envelope(
  "refusals",
  Type.Object(
    {
      /** Number of stored refused runs, and of unmatched requests. */
      runs: Count,
      unmatched: Count,
      /** The largest of each kind. */
      groups: Type.Array(RefusalGroup),
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);
