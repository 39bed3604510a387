// What a run goes on from that answers no request, in words, and where that stands.

import type { TraceRow } from "../../api/traces.js";

type Origin = NonNullable<TraceRow["goes_on"]>;

/** In a table, where there is no room for more. */
export const originLabel = ({ kind }: Origin): string => (kind === "redrive" ? "re-drive" : "resumed");

export const originText = ({ kind }: Origin): string =>
  kind === "redrive" ? "It did a dead letter again" : "It went on with a kept run";

/** For a link to it. */
export const originPlace = ({ kind, id }: Origin) =>
  kind === "redrive" ? { path: ["dead"], params: { letter: id } } : { path: ["kept", id] };
