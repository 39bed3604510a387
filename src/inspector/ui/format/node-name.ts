// Names of nodes where their circuit or run is known.

import type { TraceNode } from "../../api/traces.js";

export { AROUND } from "../../api/leading-nodes.js";

/** orders/pay becomes "orders · pay". */
export function nodeIn(circuit: string, node: string): string {
  const name = node.startsWith(`${circuit}/`) ? node.slice(circuit.length + 1) : node;
  return `${circuit} · ${name}`;
}

/** Ends of a run carry the circuit's name as label; their kind is shown instead. */
export const calledOf = ({ kind, label }: Pick<TraceNode, "kind" | "label">): string =>
  kind === "Egress" ? "out" : label;
