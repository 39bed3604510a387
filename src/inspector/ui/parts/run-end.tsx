import type { TraceRow } from "../../api/traces.js";
import { faultInShort } from "../format/fault.js";
import { endOf, toneOf } from "../format/outcome.js";

/** How a run ended: a chip unless it completed, and the fault's code and node. */
export function RunEnd({ run }: { readonly run: TraceRow }) {
  const { fault } = run;
  const end = endOf(run);
  return (
    <span title={fault === null ? undefined : [fault.title, fault.detail ?? ""].filter(Boolean).join(": ")}>
      {end === "completed" ? (
        <span class="dim">{end}</span>
      ) : (
        <span class={`end ${toneOf(run) ?? "dim"}`}>{end}</span>
      )}
      {fault !== null && <span>{faultInShort(fault)}</span>}
    </span>
  );
}
