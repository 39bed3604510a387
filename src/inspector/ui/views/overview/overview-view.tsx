// One row per circuit, the worst first; above them the totals of the process.

import type { CircuitRow } from "../../../api/circuits.js";
import type { CircuitMetrics } from "../../../api/metrics.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import {
  basis,
  latency,
  percentile,
  SLOW_NAMES,
  type WindowSeconds,
  windowOf,
  windowText,
} from "../../format/figure.js";
import { nodeName } from "../../format/node-name.js";
import { count, percent, rate } from "../../format/quantity.js";
import { Bar } from "../../parts/charts/bar.js";
import { Sparkline } from "../../parts/charts/sparkline.js";
import { Link } from "../../parts/link.js";
import { type Column, Table } from "../../parts/lists/table.js";
import { Empty, Loading, Wrong } from "../../parts/notice.js";
import { Segments } from "../../parts/segments.js";
import { adjust, go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { useWindow, WINDOWS } from "../../state/window-choice.js";
import { placeOf } from "../../url/place.js";
import { LongSteps } from "./long-steps.js";
import { Refusals } from "./refusals.js";
import { bySeverity, refusals, slowestNode } from "./severity.js";
import { Totals } from "./totals.js";
import { UnmatchedList } from "./unmatched-list.js";
import "./overview.css";

export function OverviewView() {
  const { choice, seconds, metrics: all, asked, params, choose } = useWindow();
  const isUnmatched = useStore(place, ({ params }) => params.get("show") === "unmatched");
  const isWhole = useStore(place, ({ params }) => params.has("idle"));
  const drawn = useResource("schematics", api.schematics);
  if (all === undefined)
    return (
      <div class="view">
        <div class="head">
          <h1>Overview</h1>
        </div>
        {asked.problem === undefined ? (
          <Loading what="the metrics" />
        ) : (
          <Wrong problem={asked.problem} onAgain={asked.reload} />
        )}
      </div>
    );
  const rows = bySeverity(all.circuits, seconds);
  // Rows would come and go with a shorter window.
  const idleFor = seconds === 1 || seconds === 10 ? 60 : seconds;
  const busy = rows.filter(({ windows }) => (windowOf(windows, idleFor)?.count ?? 0) > 0);
  const idle = busy.length === 0 ? 0 : rows.length - busy.length;
  return (
    <div class="view overview">
      <div class="head">
        <h1>Overview</h1>
        <div class="push">
          <Segments label="Window" options={WINDOWS} value={choice} onChoose={choose} />
        </div>
      </div>
      <Totals metrics={all} seconds={seconds} params={params} />
      {isUnmatched ? (
        <UnmatchedList params={params} />
      ) : (
        <>
          {drawn.problem !== undefined && <Wrong problem={drawn.problem} onAgain={drawn.reload} />}
          <Table
            label="Circuits"
            isShort={all.circuits.length <= 200}
            rows={idle === 0 || isWhole ? rows : busy}
            columns={[
              ...columnsFor(all.circuits, seconds, params),
              ...columnsOf(drawn.value?.circuits ?? []),
            ]}
            keyOf={({ circuit }) => circuit}
            onOpen={({ circuit }) => go(placeOf(["circuits", circuit], params))}
            empty={<Empty title="No circuits">Mounted routes are listed here.</Empty>}
          />{" "}
          {idle > 0 && (
            <button
              type="button"
              class="plain idle"
              aria-pressed={isWhole}
              title={`Circuits without a run, ${windowText(idleFor)}`}
              onClick={() => adjust({ idle: isWhole ? undefined : "shown" })}
            >
              {isWhole ? "−" : "+"} {count(idle)} idle
            </button>
          )}
          <Refusals choice={choice} seconds={seconds} />
          <LongSteps />
        </>
      )}
    </div>
  );
}

const WATCHED: Record<CircuitRow["watched"], string> = {
  off: "off",
  counted: "counted",
  sampled: "sampled",
  all: "every run",
};

/** Adds the circuits' properties to their figures. */
function columnsOf(circuits: readonly CircuitRow[]): readonly Column<CircuitMetrics>[] {
  const rows = new Map(circuits.map((row) => [row.name, row]));
  const column = (
    title: string,
    folds: number,
    width: string,
    cell: (row: CircuitRow) => string | number,
  ): Column<CircuitMetrics> => ({
    ...{ title, folds, width },
    cell: ({ circuit }) => {
      const row = rows.get(circuit);
      const text = row === undefined ? "–" : cell(row);
      return <span title={String(text)}>{text}</span>;
    },
  });
  return [
    column("Routes", 4, "14%", ({ routes, kind }) => (routes.length > 0 ? routes.join(", ") : kind)),
    column("Version", 1, "72px", ({ version }) => version || "–"),
    column("Nodes", 2, "56px", ({ node_count }) => node_count),
    column("Watched", 3, "88px", ({ watched }) => WATCHED[watched]),
  ];
}

type Params = Readonly<Record<string, string>>;

function columnsFor(
  circuits: readonly CircuitMetrics[],
  seconds: WindowSeconds,
  params: Params,
): readonly Column<CircuitMetrics>[] {
  const windowFor = ({ windows }: CircuitMetrics) => windowOf(windows, seconds);
  const slow = (circuit: CircuitMetrics) => percentile(windowFor(circuit), "p99_us");
  const scale = Math.max(1, ...circuits.map((circuit) => slow(circuit) ?? 0));
  const bars: Column<CircuitMetrics> = {
    title: "p50 / p99",
    folds: 5,
    hint: "All circuits on one scale; empty with too few samples for a p99",
    cell: (row) => {
      const p99 = slow(row);
      return p99 === undefined ? null : (
        <Bar value={percentile(windowFor(row), "p50_us") ?? 0} beyond={p99} scale={scale} />
      );
    },
  };
  return [
    {
      title: "Circuit",
      cell: ({ circuit }) => (
        <Link path={["circuits", circuit]} params={params} title={circuit}>
          {circuit}
        </Link>
      ),
    },
    {
      title: "Runs/s",
      width: "72px",
      align: "right",
      hint: `Runs per second, ${windowText(seconds)}`,
      cell: (row) => {
        const window = windowFor(row);
        return <span title={basis("Runs", window)}>{rate(window?.per_second ?? 0)}</span>;
      },
    },
    {
      title: "Last 60 s",
      width: "136px",
      folds: 7,
      hint: "Runs of each of the last 60 seconds; errors in red",
      cell: ({ circuit, history }) => (
        <Sparkline
          label={`Runs of ${circuit} in each of the last 60 seconds`}
          values={history.map((point) => point.count)}
          bad={history.map((point) => point.errors)}
        />
      ),
    },
    {
      title: "p50",
      width: "72px",
      folds: 6,
      align: "right",
      cell: (row) => <span title={basis("p50", windowFor(row))}>{latency(windowFor(row), "p50_us")}</span>,
    },
    {
      title: "p99",
      width: "72px",
      align: "right",
      cell: (row) => <span title={basis("p99", windowFor(row))}>{latency(windowFor(row), "p99_us")}</span>,
    }, // Not drawn until it has something to show.
    ...(circuits.some((circuit) => slow(circuit) !== undefined) ? [bars] : []),
    {
      title: "Errors",
      width: "72px",
      align: "right",
      hint: "Share of runs that ended in a server error: 5xx, or a fault without a response",
      cell: (row) => {
        const window = windowFor(row);
        if (window === undefined || window.count === 0) return "–";
        const text = percent(window.error_share);
        return (
          <span class={window.errors > 0 ? "fault" : "dim"} title={basis("Errors", window)}>
            {text}
          </span>
        );
      },
    },
    {
      title: "Refused by",
      folds: 8,
      width: "15%",
      hint: `Nodes that refused runs (4xx), and how often, ${windowText(seconds)}`,
      cell: (row) => {
        const [most, ...more] = refusals(row, seconds);
        if (most === undefined) return <span class="dim">–</span>;
        const others = more.map(({ node, refused }) => `${nodeName(node)} ${count(refused)}`).join(", ");
        return (
          <Link
            path={["circuits", row.circuit]}
            params={{ ...params, node: most.node }}
            title={others}
            class="named"
          >
            <span class="cut">{nodeName(most.node)}</span> {count(most.refused)}
            {more.length > 0 && ` +${more.length}`}
          </Link>
        );
      },
    },
    {
      title: "Slowest node",
      folds: 9,
      hint: `By p99, ${windowText(seconds)}; by the slowest run ("max") if no node has enough samples`,
      cell: (row) => {
        const slowest = slowestNode(row, seconds);
        if (slowest === undefined) return <span class="dim">–</span>;
        const { node, us, by } = slowest;
        return (
          <Link path={["circuits", row.circuit]} params={{ ...params, node: node.node }} class="named">
            <span class="cut">{nodeName(node.node)}</span> {by === "max_us" && `${SLOW_NAMES[by]} `}
            {duration(us)}
          </Link>
        );
      },
    },
  ];
}
