import type { TraceRow } from "../../../api/traces.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { faultInShort } from "../../format/fault.js";
import { endOf } from "../../format/outcome.js";
import { Link } from "../../parts/link.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";

/** Of a run that did not complete, first the last run of its route that did; else any of its circuit. */
export function CompareWith({ run }: { readonly run: TraceRow }) {
  const { run_id: id, circuit, request } = run;
  const route = request?.route == null ? {} : { route: `${request.method} ${request.route}` };
  const { value } = useResource(`others ${id}`, async () => {
    const [of, good] = await Promise.all([
      api.traces({ circuit, limit: 30 }),
      api.traces({ circuit, ...route, outcome: "completed", limit: 1 }),
    ]);
    return { others: of.traces.filter(({ run_id }) => run_id !== id), good: good.traces[0]?.run_id };
  });
  if (value === undefined) return null;
  const { others, good } = value;
  return (
    <span class="push">
      {good !== undefined && endOf(run) !== "completed" && (
        <Link path={["compare", good, id]}>Compare with the last completed run</Link>
      )}{" "}
      {others.length > 0 && (
        <select
          aria-label="Compare with"
          value=""
          onChange={({ currentTarget }) => go(placeOf(["compare", id, currentTarget.value]))}
        >
          <option value="">Compare with…</option>
          {others.map((one) => (
            <option key={one.run_id} value={one.run_id}>
              {one.run_id} · {duration(one.duration_us)} ·{" "}
              {one.fault === null ? one.status : faultInShort(one.fault)}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}
