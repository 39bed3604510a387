import type { TraceRow } from "../../../api/traces.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { endOf } from "../../format/outcome.js";
import { Link } from "../../parts/link.js";

/** Of a run that did not complete, with the last run of its route that did; with any other of its circuit. */
export function CompareWith({ run }: { readonly run: TraceRow }) {
  const { run_id: id, circuit, request } = run;
  const route = request?.route == null ? {} : { route: `${request.method} ${request.route}` };
  const isFailed = endOf(run) !== "completed";
  const { value } = useResource(isFailed ? `completed ${id}` : undefined, () =>
    api.traces({ circuit, ...route, outcome: "completed", limit: 1 }),
  );
  const completed = value?.traces[0]?.run_id;
  return (
    <span class="push">
      {completed !== undefined && (
        <Link path={["compare", completed, id]}>Compare with the last completed run</Link>
      )}{" "}
      <Link path={["runs"]} params={{ circuit, mark: id }}>
        {completed === undefined ? "Compare with another" : "or another"}
      </Link>
    </span>
  );
}
