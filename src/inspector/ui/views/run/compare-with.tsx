import type { TraceRow } from "../../../api/traces.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { faultInShort } from "../../format/fault.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";

/** Selects another run of the same circuit to compare with. */
export function CompareWith({ run }: { readonly run: TraceRow }) {
  const { value } = useResource(`others ${run.circuit}`, () =>
    api.traces({ circuit: run.circuit, limit: 30 }),
  );
  const others = (value?.traces ?? []).filter(({ run_id }) => run_id !== run.run_id);
  if (others.length === 0) return null;
  return (
    <select
      class="push"
      aria-label="Compare with"
      value=""
      onChange={({ currentTarget }) => go(placeOf(["compare", run.run_id, currentTarget.value]))}
    >
      <option value="">Compare with…</option>
      {others.map((one) => (
        <option key={one.run_id} value={one.run_id}>
          {one.run_id} · {duration(one.duration_us)} ·{" "}
          {one.fault === null ? one.status : faultInShort(one.fault)}
        </option>
      ))}
    </select>
  );
}
