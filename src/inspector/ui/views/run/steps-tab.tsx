import type { Trace, TraceNode } from "../../../api/traces.js";
import { outcomeOf } from "../../format/fault.js";
import { nodeName } from "../../format/node-name.js";
import { Payload } from "../../parts/values/payload.js";
import { BusAccesses } from "./bus-accesses.js";

export interface StepsTabProps {
  readonly trace: Trace;
  /** The visit that is selected in the waterfall. */
  readonly visit: TraceNode | undefined;
}

/** Input and output of the selected node, and what the run's nodes did on the Bus. */
export function StepsTab({ trace, visit }: StepsTabProps) {
  const called = visit === undefined ? "" : nodeName(visit.node);
  return (
    <>
      {visit === undefined ? (
        <p class="dim">The run has no nodes.</p>
      ) : (
        <>
          <h2>{called}</h2>
          <h3>Input</h3>
          <Payload payload={visit.input} what={`the input of ${called}`} />
          <h3>Output, {outcomeOf(visit)}</h3>
          <Payload payload={visit.output} what={`the output of ${called}`} />
        </>
      )}
      <h3>Bus</h3>
      <BusAccesses trace={trace} />
    </>
  );
}
