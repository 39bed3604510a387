// Texts and links for the origin of a run that answers no request.

import type { TraceRow } from "../../api/traces.js";

type Origin = NonNullable<TraceRow["goes_on"]>;

/** Short form for tables. */
export const originLabel = ({ kind }: Origin): string => (kind === "redrive" ? "re-drive" : "resumed");

export const originText = ({ kind }: Origin): string =>
  kind === "redrive" ? "Re-drive of dead letter" : "Resumed durable run";

/** Path and parameters of a link to the origin. */
export const originPlace = ({ kind, id }: Origin) =>
  kind === "redrive" ? { path: ["dead"], params: { letter: id } } : { path: ["kept", id] };
