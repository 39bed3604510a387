// One run: summary, waterfall, and all captured details.

import { useMemo } from "preact/hooks";
import type { Trace } from "../../../api/traces.js";
import { duration } from "../../format/duration.js";
import { absolute } from "../../format/moment.js";
import { AROUND } from "../../format/node-name.js";
import { originPlace, originText } from "../../format/origin.js";
import { statusTone } from "../../format/outcome.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { AuditLink } from "../../parts/audit-link.js";
import { Link } from "../../parts/link.js";
import { NodeLink } from "../../parts/node-link.js";
import { Loading, Wrong } from "../../parts/notice.js";
import { RunLabels } from "../../parts/run-labels.js";
import { Tabs } from "../../parts/tabs.js";
import { Copy } from "../../parts/values/copy.js";
import { TraceId } from "../../parts/values/trace-id.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import type { ViewProps } from "../view.js";
import { CompareWith } from "./compare-with.js";
import { LogLines } from "./log-lines.js";
import { PayloadsTab } from "./payloads-tab.js";
import { RequestTab } from "./request-tab.js";
import { StepsTab } from "./steps-tab.js";
import { useRun, type Waiting } from "./use-run.js";
import { Waterfall } from "./waterfall.js";
import { Why } from "./why.js";
import "./run.css";

const TABS = [
  ["request", "Request"],
  ["steps", "Steps"],
  ["log", "Log"],
  ["payloads", "Payloads"],
] as const;
type Tab = (typeof TABS)[number][0];

export function RunView({ path }: ViewProps) {
  const id = path[1] ?? "";
  const { value, problem, reload, waiting, isUnderWay } = useRun(id);
  const wanted = useStore(place, ({ params }) => params.get("tab"));
  const step = useStore(place, ({ params }) => params.get("step"));
  const node = useStore(place, ({ params }) => params.get("node"));
  // The id is an Inspector's, not a store's.
  const isTraced = useStore(place, ({ params }) => params.has("traced"));
  const selected = useMemo(
    () => (value === undefined ? 0 : selectedIn(value, step, node)),
    [value, step, node],
  );
  if (value === undefined)
    return (
      <div class="view">
        <div class="head">
          <h1>
            Run <code>{id}</code>
          </h1>
        </div>
        {problem === undefined ? (
          <Loading what="the run" />
        ) : problem.status === 404 && isUnderWay ? (
          <UnderWay waiting={waiting} />
        ) : problem.status === 404 ? (
          <p>
            No trace: evicted, not sampled, or still running. <Link path={["runs"]}>All runs</Link>
            {!isTraced && (
              <>
                {" "}
                <Link path={["kept", id]}>Look in durable runs</Link>
              </>
            )}
          </p>
        ) : (
          <Wrong problem={problem} onAgain={reload} />
        )}
      </div>
    );
  const tab = TABS.find(([one]) => one === wanted)?.[0] ?? firstTab(value, step ?? node);
  return (
    <div class="view run">
      <Head trace={value} />
      <div class="sides">
        <div class="side">
          <Waterfall
            trace={value}
            selected={selected}
            onSelect={(at) => choose({ step: String(at), node: undefined, tab: "steps" })}
          />
          {value.error !== null && <Thrown error={value.error} />}
          {value.events_dropped > 0 && (
            <p class="held">{counted(value.events_dropped, "event")} not stored: the timeline was full.</p>
          )}
        </div>
        <div class="side">
          <Tabs
            label="Details of the run"
            tabs={TABS}
            value={tab}
            onChoose={(next) => choose({ tab: next })}
          />
          <div role="tabpanel" class="panel" aria-label={TABS.find(([one]) => one === tab)?.[1]}>
            {tab === "request" && <RequestTab trace={value} />}
            {tab === "steps" && <StepsTab trace={value} visit={value.nodes[selected]} />}
            {tab === "log" && <LogLines trace={value} />}
            {tab === "payloads" && <PayloadsTab trace={value} />}
          </div>
        </div>
      </div>
    </div>
  );
}

/** A run opens at its request; one without a request, and a link to a node, at its steps. */
const firstTab = ({ run }: Trace, named: string | undefined): Tab =>
  run.request === null || named !== undefined ? "steps" : "request";

/** The error thrown by a step; shown to operators only. */
function Thrown({ error: { message, stack, cause } }: { readonly error: NonNullable<Trace["error"]> }) {
  const stacks = [stack === "" ? message : stack, ...(cause === null ? [] : [`because ${cause}`])];
  return (
    <section aria-label="Exception">
      <h2>Exception</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by the keyboard */}
      <pre class="stack" tabIndex={0}>
        {stacks.join("\n")}
      </pre>
    </section>
  );
}

function UnderWay({ waiting }: { readonly waiting: Waiting | undefined }) {
  return (
    <p role="status">
      {waiting === undefined ? (
        "Resumed and still running"
      ) : (
        <>
          Still running, {waiting.how} <NodeLink circuit={waiting.circuit} node={waiting.node} />
        </>
      )}
      . Its trace is shown when it ends, if it is stored.
    </p>
  );
}

function Head({ trace }: { readonly trace: Trace }) {
  const { run, nodes } = trace;
  const { request, fault, goes_on } = run;
  const waited = nodes.flatMap(({ waits = [] }) => waits).reduce((sum, { waited_us }) => sum + waited_us, 0);
  return (
    <>
      <div class="head">
        <h1>{request === null ? run.circuit : `${request.method} ${request.path}`}</h1>
        {request !== null && (
          <span class={`status ${statusTone(request.http_status) ?? ""}`}>
            {request.http_status === 0 ? "client disconnected" : (request.http_status ?? "pending")}
          </span>
        )}
        <span title="Duration of the run">{duration(run.duration_us)}</span>
        {waited > 0 && <span class="dim">{duration(waited)} of it waiting for its log or a lock</span>}
        <span class="dim" title={absolute(run.started_at)}>
          <Ago at={run.started_at} />
        </span>
        <RunLabels of={run.labels} />
        {request?.route != null && (
          <Link
            path={["send"]}
            params={{ route: `${request.method.replace("HEAD", "GET")} ${request.route}`, from: run.run_id }}
            title="Opens Send with this request filled in"
          >
            Send again
          </Link>
        )}
        <CompareWith run={run} />
      </div>
      {fault === null ? (
        <p class={run.status === "completed" ? "dim" : "strong"}>
          {run.status === "completed" ? "Completed" : "Aborted"}: {counted(run.node_count, "node")} in{" "}
          <Link path={["circuits", run.circuit]}>{run.circuit}</Link> {run.version}
        </p>
      ) : (
        <Why fault={fault} trace={trace} />
      )}
      {goes_on !== null && (
        <p>
          {originText(goes_on)}: <Link {...originPlace(goes_on)}>{goes_on.id}</Link>
        </p>
      )}
      <p class="ids dim">
        <span>
          Run <code>{run.run_id}</code>
          <Copy text={run.run_id} what="the run's id" />
        </span>
        {request !== null && (
          <span>
            Request <code>{request.request_id}</code>
            <Copy text={request.request_id} what="the request's id" />
          </span>
        )}
        <TraceId id={request?.trace_id ?? null} />
        <AuditLink of={{ run: run.run_id }} />
      </p>
    </>
  );
}

/** The node named in the URL; else the failed one; else the slowest. */
function selectedIn({ nodes, run }: Trace, step: string | undefined, node: string | undefined): number {
  const at = Number(step);
  if (step !== undefined && Number.isInteger(at) && nodes[at] !== undefined) return at;
  const named = nodes.findIndex((one) => one.node === (node ?? run.fault?.node));
  if (named !== -1) return named;
  const inner = nodes.filter(({ kind }) => !AROUND.has(kind));
  const longest = inner.reduce(
    (a, b) => (b.duration_us > a.duration_us ? b : a),
    inner[0] as (typeof inner)[number],
  );
  return Math.max(0, nodes.indexOf(longest));
}
