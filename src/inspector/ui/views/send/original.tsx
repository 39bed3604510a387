import type { TraceRow } from "../../../api/traces.js";
import type { RelayData } from "../../client/api.js";
import { duration } from "../../format/duration.js";
import { faultInShort } from "../../format/fault.js";
import { statusTone } from "../../format/outcome.js";
import { Link } from "../../parts/link.js";
import { RunLink } from "../../parts/run-link.js";

export interface OriginalProps {
  readonly run: TraceRow;
  /** The response of the request that was sent again. */
  readonly again: RelayData | undefined;
}

/** How the original run ended, above the run of the request that is sent again. */
export function Original({ run, again }: OriginalProps) {
  const status = run.request?.http_status ?? null;
  return (
    <p class="original">
      Original <strong class={`status ${statusTone(status) ?? ""}`}>{status || "no response"}</strong>{" "}
      {duration(run.duration_us)} {run.fault !== null && faultInShort(run.fault)}{" "}
      <RunLink id={run.run_id}>in run</RunLink>{" "}
      {again !== undefined && again.run_id !== null && (
        <Link path={["compare", run.run_id, again.run_id]}>Compare both runs</Link>
      )}
    </p>
  );
}
