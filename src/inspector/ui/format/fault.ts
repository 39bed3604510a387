// Texts for the result of a node and the fault of a run, in the terms of the code.

import type { TraceNode, TraceRow } from "../../api/traces.js";

type Fault = NonNullable<TraceRow["fault"]>;

const REFUSING = new Set(["Guard", "Iam", "Layer"]);

/** For a faulted run: "OUT_OF_STOCK at reserve (409)". */
export function faultInShort(fault: Fault): string {
  const status = fault.status === null ? "" : ` (${fault.status})`;
  return `${fault.code ?? fault.title} at ${fault.label}${status}`;
}

/** A sentence with the node, the status and the reason of a refusal or failure. */
export function faultInWords(fault: Fault, kind: string | undefined): string {
  const verb = kind !== undefined && REFUSING.has(kind) ? "refused" : "failed";
  const status = fault.status === null ? "" : ` with ${fault.status}`;
  const why = fault.detail === null || fault.detail === "" ? fault.title : `${fault.title}: ${fault.detail}`;
  return `${fault.label} ${verb}${status}: ${why}`;
}

/** "next", "branch loyal", "jump price". */
export function outcomeOf(node: Pick<TraceNode, "outcome" | "target">): string {
  return node.target === null ? node.outcome : `${node.outcome} ${node.target}`;
}
