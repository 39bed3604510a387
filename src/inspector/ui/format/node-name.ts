// What nodes are called where their circuit or their run is known.

import type { TraceNode } from "../../api/traces.js";

/** "orders · pay" of orders/pay. */
export function nodeIn(circuit: string, node: string): string {
  const name = node.startsWith(`${circuit}/`) ? node.slice(circuit.length + 1) : node;
  return `${circuit} · ${name}`;
}

/** A run's end has the circuit's own name, which says nothing there; the Schematic calls it so. */
export const calledOf = ({ kind, label }: Pick<TraceNode, "kind" | "label">): string =>
  kind === "Egress" ? "out" : label;
