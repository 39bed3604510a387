// A stored run: its progress, its state, its log, and the actions to resume or cancel it.

import type { KeptRun } from "../../../api/runs.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { absolute } from "../../format/moment.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { AuditLink } from "../../parts/audit-link.js";
import { Link } from "../../parts/link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { RunLink } from "../../parts/run-link.js";
import { Copy } from "../../parts/values/copy.js";
import { Payload } from "../../parts/values/payload.js";
import { TraceId } from "../../parts/values/trace-id.js";
import type { ViewProps } from "../view.js";
import { Cancellation } from "./cancellation.js";
import { KeptLog, NodeLink } from "./kept-log.js";
import { Resumption } from "./resumption.js";
import "./kept.css";

const AGAIN_MS = 3000;

export function KeptRunView({ path }: ViewProps) {
  const id = path[1] ?? "";
  const { value, problem, reload } = useResource(`kept run ${id}`, () => api.keptRun(id), AGAIN_MS);
  if (value === undefined)
    return (
      <div class="view">
        <div class="head">
          <h1>Kept run {id}</h1>
        </div>
        {problem === undefined ? (
          <Loading what="the run" />
        ) : problem.status === 404 ? (
          <p>
            No store of this server keeps such a run. <Link path={["kept"]}>Those that are kept</Link>
          </p>
        ) : (
          <Wrong problem={problem} onAgain={reload} />
        )}
      </div>
    );
  return (
    <div class="view kept">
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      <Head run={value} />
      <Resumption run={value} onResumed={reload} />
      <Cancellation run={value} onCancelled={reload} />
      <div class="sides">
        <KeptLog run={value} />
        <Known run={value} />
      </div>
    </div>
  );
}

const STATES: Readonly<Record<KeptRun["state"], string>> = {
  unfinished: "Unfinished: running elsewhere or interrupted",
  cancelling: "To be cancelled: the process that runs it undoes it, or the next one",
  undoing: "It failed, and what it completed is being undone",
  completed: "It went through",
  faulted: "It ended in a fault",
  unfit: "Its process is gone, and no code of this server can resume it",
  stuck:
    "It was resumed too often without a new checkpoint: no process takes it any more, until it is resumed here",
};

function Head({ run }: { readonly run: KeptRun }) {
  const { run_id, circuit, version, state, unfit, began_at, last_at, trace_id, newest_run_id } = run;
  return (
    <>
      <div class="head">
        <h1>Kept run of {circuit}</h1>
        <span class={state === "unfinished" || state === "completed" ? "status" : "status fault"}>
          {state}
        </span>
        <span class="dim" title={absolute(began_at)}>
          began <Ago at={began_at} />
        </span>
        <span class="dim" title={absolute(last_at)}>
          last entry <Ago at={last_at} />
        </span>
      </div>
      <p>
        {STATES[state]}
        {unfit !== null && `: ${unfit}`}. Version {version} of{" "}
        <Link path={["circuits", circuit]}>{circuit}</Link> ran it last.
      </p>
      <p class="ids dim">
        <span>
          Run <code>{run_id}</code>
          <Copy text={run_id} what="the run's id" />
        </span>
        <RunLink id={newest_run_id}>Newest traced run</RunLink>
        <TraceId id={trace_id} />
        <AuditLink of={{ run: run_id }} />
        <Link path={["runs"]} params={{ circuit }}>
          Traced runs of {circuit}
        </Link>
      </p>
    </>
  );
}

function Known({ run }: { readonly run: KeptRun }) {
  const { circuit, node, label, input, bus, completed, state } = run;
  const isOver = state === "completed" || state === "faulted";
  return (
    <section class="side" aria-label="What is known of the run">
      <h2>{isOver ? "Last node" : "Resumes at"}</h2>
      <p>
        <NodeLink circuit={circuit} node={node}>
          {label}
        </NodeLink>{" "}
        <code class="dim">{node}</code>
      </p>
      <h3>Its input</h3>
      <Payload payload={input} what={`the input of ${label}`} />
      <h3>Kept of the Bus</h3>
      {bus.length === 0 ? (
        <p class="dim">No key: no later step reads what an earlier one wrote.</p>
      ) : (
        <p class="mono">{bus.join(", ")}</p>
      )}
      <h3>Completed, and can be undone</h3>
      {completed.length === 0 ? (
        <p class="dim">No step with a compensation has completed.</p>
      ) : (
        <ol>
          {completed.map((done, n) => (
            <li key={n}>
              <NodeLink circuit={circuit} node={done} />
            </li>
          ))}
        </ol>
      )}
      {completed.length > 0 && (
        <p class="dim">
          Should it fail, {counted(completed.length, "step")} would be undone, the last first.
        </p>
      )}
    </section>
  );
}
