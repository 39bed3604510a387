// Findings of the Inspector: alerts with their cause, and stalled nodes.

import type { Alert, Stall } from "../../../api/watching.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { absolute } from "../../format/moment.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";
import { alerts, askAlerts, askStalls, stalls as heardStalls } from "../../state/live.js";
import { now } from "../../state/now.js";
import { useStore } from "../../state/store.js";
import "./alerts.css";

export function AlertsView() {
  const asked = useResource("alerts", askAlerts, 10_000);
  const stalling = useResource("stalls", askStalls, 10_000);
  const known = useStore(alerts);
  const stalled = useStore(heardStalls);
  const all = [...known].sort((a, b) => b.last_at - a.last_at);
  const active = all.filter(({ state }) => state === "active");
  const resolved = all.filter(({ state }) => state === "resolved");
  const stalls = [...stalled].sort((a, b) => a.entered_at - b.entered_at);
  return (
    <div class="view alerts">
      <div class="head">
        <h1>Alerts</h1>
      </div>
      {asked.problem !== undefined && <Wrong problem={asked.problem} onAgain={asked.reload} />}
      {asked.value === undefined && asked.problem === undefined && all.length === 0 && (
        <Loading what="the alerts" />
      )}
      {asked.value !== undefined && active.length === 0 && (
        <Empty title="No active alert">Stalls, error rates, budgets and dead letters raise alerts.</Empty>
      )}
      {active.length > 0 && <h2>Active</h2>}
      {active.map((alert) => (
        <AlertCard key={alert.key} alert={alert} />
      ))}
      <h2>Stalls</h2>
      <List
        asked={stalling}
        what="the stalls"
        label="Stalls"
        isShort
        rows={stalls}
        columns={STALL_COLUMNS}
        keyOf={({ run_id, node }) => `${run_id} ${node}`}
        empty={
          <Empty title="No stalled nodes">
            Nodes that run for longer than{" "}
            {stalling.value === undefined ? "the threshold" : duration(stalling.value.threshold_ms * 1000)}{" "}
            are listed here.
          </Empty>
        }
      />
      {resolved.length > 0 && (
        <>
          <h2>Resolved</h2>
          {resolved.map((alert) => (
            <AlertCard key={alert.key} alert={alert} />
          ))}
        </>
      )}
    </div>
  );
}

function AlertCard({ alert }: { readonly alert: Alert }) {
  const { title, cause, kind, severity, state, circuit, node, since, resolved_at, run_ids } = alert;
  return (
    <article class={`alert ${state} ${severity}`} aria-label={title}>
      <h3>
        <span class="severity">{state === "resolved" ? "resolved" : severity}</span> {title}
      </h3>
      <p>{cause}</p>
      <p class="dim">
        <span>{kind.replaceAll("_", " ")}</span>
        <span>
          for <Lasting since={since} until={resolved_at} />
        </span>
        {resolved_at !== null && (
          <span>
            resolved <Ago at={resolved_at} />
          </span>
        )}
        {circuit !== null && node === null && <Link path={["circuits", circuit]}>{circuit}</Link>}
        {circuit !== null && node !== null && <NodeLink circuit={circuit} node={node} isOfAny />}
        {kind === "dead_letter" && (
          <Link path={["dead"]} params={{ circuit: circuit ?? undefined, node: node ?? undefined }}>
            Dead letters
          </Link>
        )}
        {run_ids.length > 0 && (
          <span>
            Example runs:{" "}
            {run_ids.map((id) => (
              <Link key={id} path={["runs", id]} class="mono">
                {id}{" "}
              </Link>
            ))}
          </span>
        )}
      </p>
    </article>
  );
}

const STALL_COLUMNS: readonly Column<Stall>[] = [
  {
    title: "Node",
    cell: ({ circuit, node }) => <NodeLink circuit={circuit} node={node} isOfAny />,
  },
  { title: "Entered", width: "96px", folds: 2, cell: ({ entered_at }) => <Ago at={entered_at} /> },
  { title: "Stalled for", width: "104px", align: "right", cell: (stall) => <StallsFor stall={stall} /> },
  {
    title: "Threshold",
    width: "104px",
    folds: 1,
    align: "right",
    cell: ({ threshold_ms }) => duration(threshold_ms * 1000),
  },
  {
    title: "Request",
    width: "30%",
    cell: ({ request }) => (request === null ? "–" : `${request.method} ${request.path}`),
  },
  {
    title: "Run",
    width: "136px",
    cell: ({ run_id }) => (
      <Link path={["runs", run_id]} class="mono">
        {run_id}
      </Link>
    ),
  },
];

function Lasting({ since, until }: { readonly since: number; readonly until: number | null }) {
  const ms = useStore(now, (at) => Math.max(0, (until ?? at) - since));
  return <time title={absolute(since)}>{duration(Math.floor(ms / 1000) * 1e6)}</time>;
}

function StallsFor({ stall }: { readonly stall: Stall }) {
  const ms = useStore(now, (at) => Math.max(stall.stalled_ms, at - stall.entered_at));
  return <strong>{duration(Math.floor(ms / 100) * 100_000)}</strong>;
}
