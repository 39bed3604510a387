import type { Trace } from "../../../api/traces.js";
import { faultInWords } from "../../format/fault.js";
import { nodeName } from "../../format/node-name.js";
import { toneOf } from "../../format/outcome.js";
import { Link } from "../../parts/link.js";

export interface WhyProps {
  readonly fault: NonNullable<Trace["run"]["fault"]>;
  readonly trace: Trace;
}

/** Why a run failed, in one line. */
export function Why({ fault, trace: { run, nodes } }: WhyProps) {
  const kind = nodes.find(({ node }) => node === fault.node)?.kind;
  return (
    <p class="why">
      <strong class={toneOf(run)}>{faultInWords(fault, kind)}</strong>
      {fault.code !== null && <code> {fault.code}</code>}{" "}
      <Link path={["circuits", run.circuit]} params={{ node: fault.node }}>
        {nodeName(fault.node)} in {run.circuit}
      </Link>
    </p>
  );
}
