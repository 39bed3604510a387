// What a run goes on from that answers no request, in words, and where that stands.

import type { TraceRow } from "../../api/traces.js";

type GoesOn = NonNullable<TraceRow["goes_on"]>;

/** In a table, where there is no room for more. */
export const goesOnInShort = ({ kind }: GoesOn): string => (kind === "redrive" ? "re-drive" : "resumed");

export const goesOnInWords = ({ kind }: GoesOn): string =>
  kind === "redrive" ? "It did a dead letter again" : "It went on with a kept run";

/** For a link to it. */
export const originOf = ({ kind, id }: GoesOn) =>
  kind === "redrive" ? { path: ["dead"], params: { letter: id } } : { path: ["kept", id] };
