import type { FeedEvent } from "../../../api/events.js";
import type { Alert } from "../../../api/watching.js";
import { duration } from "../../format/duration.js";
import { clock } from "../../format/moment.js";
import { nodeIn } from "../../format/node-name.js";
import { originLabel } from "../../format/origin.js";
import { counted } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import type { Column } from "../../parts/lists/table.js";
import { RunEnd } from "../../parts/run-end.js";
import type { LiveRow } from "./live-rows.js";

/** The id of the event's run. */
export function runOf(row: LiveRow): string | undefined {
  if (row.kind === "lost") return undefined;
  const { event } = row;
  switch (event.kind) {
    case "circuit_exit":
      return event.run.run_id;
    case "node_paused":
      return event.paused.run_id;
    case "stall_detected":
      return event.stall.run_id;
    case "node_exit":
    case "node_resumed":
    case "event":
    case "stall_ended":
      return event.run_id;
    default:
      return undefined;
  }
}

export const LIVE_COLUMNS: readonly Column<LiveRow>[] = [
  {
    title: "Time",
    width: "104px",
    cell: (row) => (row.kind === "lost" ? "" : <span class="dim">{clock(row.event.at)}</span>),
  },
  { title: "Event", width: "104px", cell: (row) => (row.kind === "lost" ? "" : WHAT[row.event.kind]) },
  { title: "Node", width: "30%", cell: (row) => (row.kind === "lost" ? "" : whereOf(row.event)) },
  {
    title: "Outcome",
    cell: (row) =>
      row.kind === "lost" ? (
        <span class="strong">Not sent: {counted(row.count, "event")}, too many at once</span>
      ) : (
        outcomeOf(row.event)
      ),
  },
  {
    title: "Duration",
    width: "88px",
    align: "right",
    cell: (row) => (row.kind === "lost" ? "" : durationOf(row.event)),
  },
  {
    title: "Run",
    width: "136px",
    folds: 1,
    cell: (row) => {
      const run = runOf(row);
      return run === undefined ? (
        ""
      ) : (
        <Link path={["runs", run]} class="mono">
          {run}
        </Link>
      );
    },
  },
];

const WHAT: Readonly<Record<FeedEvent["kind"], string>> = {
  node_exit: "node",
  circuit_exit: "run",
  node_paused: "held",
  node_resumed: "resumed",
  event: "emitted",
  metrics: "metrics",
  stall_detected: "stall",
  stall_ended: "stall ended",
  alert: "alert",
  breakpoint: "breakpoint",
};

function whereOf(event: FeedEvent) {
  switch (event.kind) {
    case "circuit_exit": {
      const { request, circuit, goes_on } = event.run;
      return request === null ? (
        <span>
          {circuit} {goes_on !== null && <span class="dim">{originLabel(goes_on)}</span>}
        </span>
      ) : (
        <span title={circuit}>
          <span class="method">{request.method}</span> {request.path}
        </span>
      );
    }
    case "node_exit":
      return nodeIn(event.circuit, event.node);
    case "node_paused":
      return nodeIn(event.paused.circuit, event.paused.node_id);
    case "event":
      return nodeIn(event.circuit, event.node);
    case "stall_detected":
      return nodeIn(event.stall.circuit, event.stall.node);
    case "stall_ended":
      return event.node.replace("/", " · ");
    case "alert":
      return event.alert.circuit ?? event.alert.key;
    default:
      return "";
  }
}

function outcomeOf(event: FeedEvent) {
  switch (event.kind) {
    case "circuit_exit":
      return <RunEnd run={event.run} />;
    case "node_exit":
      return event.fault === null ? (
        <span class="dim">{event.outcome}</span>
      ) : (
        <span class="strong">{event.fault}</span>
      );
    case "node_paused":
      return <span class="held">held by a breakpoint</span>;
    case "node_resumed":
      return event.how;
    case "event":
      return event.name;
    case "stall_detected":
      return <span class="strong">stalled</span>;
    case "alert":
      return <span class={alertTone(event.alert)}>{event.alert.title}</span>;
    default:
      return "";
  }
}

const alertTone = ({ state, severity }: Alert): string | undefined =>
  state !== "active" ? "dim" : severity === "critical" ? "fault" : undefined;

function durationOf(event: FeedEvent): string {
  switch (event.kind) {
    case "circuit_exit":
      return duration(event.run.duration_us);
    case "node_exit":
      return duration(event.duration_us);
    case "stall_detected":
      return duration(event.stall.stalled_ms * 1000);
    case "stall_ended":
      return duration(event.stalled_ms * 1000);
    default:
      return "";
  }
}
