import type { FeedEvent } from "../../../api/events.js";
import { duration } from "../../format/duration.js";
import { faultInShort } from "../../format/fault.js";
import { clock } from "../../format/moment.js";
import { nodeIn } from "../../format/node-name.js";
import { originLabel } from "../../format/origin.js";
import { counted } from "../../format/quantity.js";
import { Link } from "../../parts/link.js";
import type { Column } from "../../parts/lists/table.js";
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
  { title: "What", width: "104px", cell: (row) => (row.kind === "lost" ? "" : WHAT[row.event.kind]) },
  { title: "Where", width: "30%", cell: (row) => (row.kind === "lost" ? "" : whereOf(row.event)) },
  {
    title: "Outcome",
    cell: (row) =>
      row.kind === "lost" ? (
        <span class="strong">Not sent here, for there were too many: {counted(row.count, "event")}</span>
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
  node_resumed: "let go",
  event: "emitted",
  metrics: "figures",
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
      return `${event.circuit} · ${event.label}`;
    case "node_paused":
      return `${event.paused.circuit} · ${event.paused.label}`;
    case "event":
      return nodeIn(event.circuit, event.node);
    case "stall_detected":
      return `${event.stall.circuit} · ${event.stall.label}`;
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
      return event.run.fault === null ? (
        <span class="dim">{event.run.status}</span>
      ) : (
        <span class="fault">{faultInShort(event.run.fault)}</span>
      );
    case "node_exit":
      return event.fault === null ? (
        <span class="dim">{event.outcome}</span>
      ) : (
        <span class="fault">{event.fault}</span>
      );
    case "node_paused":
      return <span class="held">held by a breakpoint</span>;
    case "node_resumed":
      return event.how;
    case "event":
      return event.name;
    case "stall_detected":
      return <span class="strong">entered and not left</span>;
    case "alert":
      return <span class={event.alert.state === "active" ? "fault" : "dim"}>{event.alert.title}</span>;
    default:
      return "";
  }
}

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
