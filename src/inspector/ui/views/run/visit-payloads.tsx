import type { TraceNode } from "../../../api/traces.js";
import { outcomeOf } from "../../format/fault.js";
import { nodeName } from "../../format/node-name.js";
import { Payload } from "../../parts/values/payload.js";
import { InnerDetails } from "./inner-rows.js";

/** Input and output of the selected node. */
export function VisitPayloads({ visit }: { readonly visit: TraceNode | undefined }) {
  if (visit === undefined) return <p class="dim">The run has no nodes.</p>;
  const called = nodeName(visit.node);
  return (
    <>
      <h2>{called}</h2>
      <h3>Input</h3>
      <Payload payload={visit.input} what={`the input of ${called}`} />
      <h3>Output, {outcomeOf(visit)}</h3>
      <Payload payload={visit.output} what={`the output of ${called}`} />
      <InnerDetails visit={visit} />
    </>
  );
}
