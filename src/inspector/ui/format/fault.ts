// Texts for the result of a node and the fault of a run, in the terms of the code.

import type { TraceNode, TraceRow } from "../../api/traces.js";
import { nodeName } from "./node-name.js";

type Fault = NonNullable<TraceRow["fault"]>;

const REFUSING = new Set(["Guard", "Iam", "Layer"]);

/** For a faulted run: "OUT_OF_STOCK at reserve (409)". */
export function faultInShort(fault: Fault): string {
  const status = fault.status === null ? "" : ` (${fault.status})`;
  return `${fault.code ?? fault.title} at ${nodeName(fault.node)}${status}`;
}

/** The node, the status and the reason of a refusal or failure: "iam: 403, missing role". */
export function faultInWords(fault: Fault, kind: string | undefined): string {
  const { node, status, title, detail } = fault;
  const isRefusal = kind !== undefined && REFUSING.has(kind);
  const why = !detail ? title : isRefusal ? detail : `${title}: ${detail}`;
  return `${nodeName(node)}: ${status === null ? "" : `${status}, `}${why}`;
}

/** "next", "branch loyal", "jump price". */
export function outcomeOf(node: Pick<TraceNode, "outcome" | "target">): string {
  return node.target === null ? node.outcome : `${node.outcome} ${node.target}`;
}
