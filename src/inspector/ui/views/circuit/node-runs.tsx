import type { TraceRow } from "../../../api/traces.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { faultInShort } from "../../format/fault.js";
import { toneOf } from "../../format/outcome.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { Wrong } from "../../parts/notice.js";
import { Payload } from "../../parts/values/payload.js";

/** The slowest runs through a node, and the newest run's input. */
export function NodeRuns({ circuit, node }: { readonly circuit: string; readonly node: string }) {
  const slowest = useResource(
    `slowest ${circuit} ${node}`,
    () => api.traces({ circuit, node, order: "slowest", limit: 5 }),
    5000,
  );
  return (
    <>
      <section>
        <h3>Slowest runs</h3>
        {slowest.problem !== undefined && <Wrong problem={slowest.problem} />}
        {slowest.value?.traces.length === 0 && <p class="dim">No traced runs yet.</p>}
        <ul class="run-links">
          {slowest.value?.traces.map((run) => (
            <RunLink key={run.run_id} run={run} node={node} />
          ))}
        </ul>
        <Link path={["runs"]} params={{ circuit, node, order: "slowest" }}>
          All runs of this node
        </Link>
      </section>
      <Newest circuit={circuit} node={node} />
    </>
  );
}

function RunLink({ run, node }: { readonly run: TraceRow; readonly node: string }) {
  return (
    <li>
      <span class="number">{duration(run.duration_us)}</span>
      <Link path={["runs", run.run_id]} params={{ node }} class="mono cut">
        {run.run_id}
      </Link>
      {run.fault === null ? (
        <Ago at={run.started_at} />
      ) : (
        <span class={`cut ${toneOf(run) ?? ""}`}>{faultInShort(run.fault)}</span>
      )}
    </li>
  );
}

function Newest({ circuit, node }: { readonly circuit: string; readonly node: string }) {
  const newest = useResource(`newest ${circuit} ${node}`, async () => {
    const { traces } = await api.traces({ circuit, node, limit: 1 });
    return traces[0] === undefined ? undefined : api.trace(traces[0].run_id);
  });
  const visit = newest.value?.nodes.find((one) => one.node === node);
  if (newest.value === undefined || visit === undefined) return null;
  return (
    <section>
      <h3>
        Newest payload, <Ago at={newest.value.run.started_at} />
      </h3>
      <p class="dim">Input</p>
      <Payload payload={visit.input} what="the input" />
      <p class="dim">Output</p>
      <Payload payload={visit.output} what="the output" />
    </section>
  );
}
