import type { Trace, TraceNode } from "../../../api/traces.js";
import { BusAccesses } from "./bus-accesses.js";
import { RunAgain } from "./run-again.js";
import { VisitPayloads } from "./visit-payloads.js";

export interface StepsTabProps {
  readonly trace: Trace;
  /** The visit that is selected in the waterfall. */
  readonly visit: TraceNode | undefined;
}

/** Input and output of the selected node, and what the run's nodes did on the Bus. */
export function StepsTab({ trace, visit }: StepsTabProps) {
  return (
    <>
      <VisitPayloads visit={visit} />
      {visit?.input.kind === "full" && trace.run.request !== null && (
        <RunAgain key={visit.node} run={trace.run} node={visit.node} />
      )}
      <h2>Bus</h2>
      <BusAccesses trace={trace} />
    </>
  );
}
