// What a run did at a node, and what ended it: the words of the code.

import type { TraceNode, TraceRow } from "../../api/traces.js";

type Fault = NonNullable<TraceRow["fault"]>;

const REFUSING = new Set(["Guard", "Iam", "Layer"]);

/** "OUT_OF_STOCK at reserve (409)", of a run that faulted. */
export function faultInShort(fault: Fault): string {
  const status = fault.status === null ? "" : ` (${fault.status})`;
  return `${fault.code ?? fault.title} at ${fault.label}${status}`;
}

/** A sentence: who refused or failed, with which status, and why. */
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
