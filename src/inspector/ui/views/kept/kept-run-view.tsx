// A stored run: its steps, its state, its log, and the actions that fit.

import { RUN_STATES } from "#core/ports/run-state.js";
import type { KeptRun } from "../../../api/runs.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { absolute } from "../../format/moment.js";
import { nodeName } from "../../format/node-name.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { AuditLink } from "../../parts/audit-link.js";
import { Link } from "../../parts/link.js";
import { NodeLink } from "../../parts/node-link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { RunLabels } from "../../parts/run-labels.js";
import { RunLink } from "../../parts/run-link.js";
import { Copy } from "../../parts/values/copy.js";
import { Payload } from "../../parts/values/payload.js";
import { TraceId } from "../../parts/values/trace-id.js";
import type { ViewProps } from "../view.js";
import { Actions } from "./actions.js";
import { KeptLog } from "./kept-log.js";
import { Stepper } from "./stepper.js";
import { isAtWork, isOver, shownState } from "./steps.js";
import { WaitsFor } from "./waits.js";
import "./kept.css";

const AGAIN_MS = 3000;

export function KeptRunView({ path }: ViewProps) {
  const id = path[1] ?? "";
  const { value, problem, reload } = useResource(`durable run ${id}`, () => api.keptRun(id), AGAIN_MS);
  if (value === undefined)
    return (
      <div class="view">
        <div class="head">
          <h1>Durable run {id}</h1>
        </div>
        {problem === undefined ? (
          <Loading what="the run" />
        ) : problem.status === 404 ? (
          <p>
            No such run in the stores of this server. <Link path={["kept"]}>All durable runs</Link>
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
      <Stepper run={value} />
      <Actions run={value} onDone={reload} />
      <div class="sides">
        <KeptLog run={value} />
        <Known run={value} />
      </div>
    </div>
  );
}

export const RED: ReadonlySet<string> = new Set(["failed", "unfit", "stuck"] satisfies KeptRun["state"][]);

function Head({ run }: { readonly run: KeptRun }) {
  const { run_id, circuit, version, state, is_undoing, owner, cancel, fault, unfit } = run;
  const { began_at, last_at, trace_id, newest_run_id } = run;
  const waits = run.wait && state !== "unfit" && <WaitsFor wait={run.wait} isFirst />;
  return (
    <>
      <div class="head">
        <h1>Durable run of {circuit}</h1>
        <span class={RED.has(state) ? "status fault" : "status"}>{shownState(run)}</span>
        <span class="dim" title={absolute(began_at)}>
          started <Ago at={began_at} />
        </span>
        <span class="dim" title={absolute(last_at)}>
          last entry <Ago at={last_at} />
        </span>
        <RunLabels of={run.labels} list="kept" />
      </div>
      <p>
        {is_undoing
          ? "Failed, compensating its completed steps"
          : isAtWork(run)
            ? "At work"
            : waits || RUN_STATES[state].says}
        {unfit !== null && `: ${unfit}`}. {owner !== null && <Owner owner={owner} />} Last version:{" "}
        <Link path={["circuits", circuit]}>{circuit}</Link> {version}.
      </p>
      {fault !== null && state !== "cancelled" && (
        <p class="fault">
          {fault.title} {fault.code !== null && <code>{fault.code}</code>}
        </p>
      )}
      {cancel !== null && (
        <p>
          {state === "cancelled" ? "Cancelled" : "Cancellation requested"}
          {cancel.actor !== null && (
            <>
              {" by "}
              <strong>{cancel.actor}</strong>
            </>
          )}
          {cancel.at !== null && (
            <>
              {" "}
              <Ago at={cancel.at} />
            </>
          )}
          : {cancel.reason}
        </p>
      )}
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

function Owner({ owner: { host, is_alive } }: { readonly owner: NonNullable<KeptRun["owner"]> }) {
  return (
    <span>
      Host <Link path={["hosts"]}>{host}</Link>
      {is_alive === false && " (lease ended)"}.
    </span>
  );
}

function Known({ run }: { readonly run: KeptRun }) {
  const { circuit, node, input, bus, completed, entries } = run;
  const woken = entries.findLast((entry) => entry.woken?.by === "signal")?.woken;
  return (
    <section class="side" aria-label="State of the run">
      <h2>{isOver(run) ? "Last node" : "Resumes at"}</h2>
      <p>
        <NodeLink circuit={circuit} node={node} /> <code class="dim">{node}</code>
      </p>
      <h3>Input</h3>
      <Payload payload={input} what={`the input of ${nodeName(node)}`} />
      {woken && (
        <>
          <h3>Last signal: {woken.signal}</h3>
          <Payload payload={woken.payload} what="the payload of the signal" />
        </>
      )}
      <h3>Bus keys in the checkpoint</h3>
      {bus.length === 0 ? (
        <p class="dim">None: later steps read no earlier writes.</p>
      ) : (
        <p class="mono">{bus.join(", ")}</p>
      )}
      <h3>Completed, with compensation</h3>
      {completed.length === 0 ? (
        <p class="dim">None.</p>
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
          On failure, {counted(completed.length, "step")} would be compensated, the last first.
        </p>
      )}
    </section>
  );
}
