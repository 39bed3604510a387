// Where a held run is, and what became of it once it was resumed.

import type { PausedRun } from "../../../api/breakpoints.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { nodeName } from "../../format/node-name.js";
import { counted } from "../../format/quantity.js";
import { RunEnd } from "../../parts/run-end.js";
import { RunLink } from "../../parts/run-link.js";
import { Payload } from "../../parts/values/payload.js";

/** Its path, its Bus and the time since it began. */
export function HeldPlace({ run_id }: PausedRun) {
  const { value } = useResource(`in flight ${run_id}`, () => api.inFlightRun(run_id), 3000);
  if (value === undefined) return null;
  const { path, bus, elapsed_ms } = value;
  return (
    <details>
      <summary>
        {duration(Math.round(elapsed_ms * 1000))} since it began: {path.map((id) => nodeName(id)).join(" → ")}
        {path.length > 0 && ", "}
        {counted(bus.length, "Bus key")}
      </summary>
      <table class="accesses" aria-label="Bus of the run">
        <tbody>
          {bus.map(({ key, node, value: of }) => (
            <tr key={key}>
              <td class="mono">{key}</td>
              <td class="dim">{nodeName(node)}</td>
              <td>
                <Payload payload={of} what={key} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

export interface ReleasedRun {
  readonly run_id: string;
  readonly how: "resume" | "step" | "abort";
}

const HOW = { resume: "Resumed", step: "Stepped", abort: "Aborted" } as const;

/** The outcome of a run that was held, with a link. */
export function Outcome({ run_id, how }: ReleasedRun) {
  const { value, problem } = useResource(`outcome ${run_id}`, () => api.trace(run_id), 2000);
  return (
    <p role="status">
      {HOW[how]}:{" "}
      {value === undefined && (problem === undefined || problem.status === 404) && "still running "}
      {value !== undefined && (
        <>
          <RunEnd run={value.run} /> {value.run.request?.http_status} in {duration(
            value.run.duration_us,
          )}{" "}
        </>
      )}
      <RunLink id={run_id}>run</RunLink>
    </p>
  );
}
