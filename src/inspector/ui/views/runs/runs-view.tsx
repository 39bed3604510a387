// Traced runs, newest or slowest first, with filters; two selected runs can be compared.

import { useState } from "preact/hooks";

import type { TraceRow } from "../../../api/traces.js";
import { duration } from "../../format/duration.js";
import { originLabel } from "../../format/origin.js";
import { statusTone } from "../../format/outcome.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Bar } from "../../parts/charts/bar.js";
import { Link } from "../../parts/link.js";
import type { Filter } from "../../parts/lists/filters.js";
import { List } from "../../parts/lists/list.js";
import { type Column, isInRows } from "../../parts/lists/table.js";
import { Empty, Wrong } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";
import { RunEnd } from "../../parts/run-end.js";
import { RunLabels } from "../../parts/run-labels.js";
import { adjust, go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { placeOf } from "../../url/place.js";
import { END_FILTERS, LABEL_FILTER, queryOf } from "./run-filters.js";
import { useRuns } from "./use-runs.js";
import "./runs.css";

const FILTERS: readonly Filter[] = [
  ...END_FILTERS,
  LABEL_FILTER,
  {
    kind: "order",
    name: "order",
    label: "Order",
    options: [
      ["", "Newest"],
      ["slowest", "Slowest"],
    ],
  },
  { kind: "circuit" },
  { kind: "route" },
  { kind: "longer" },
  { kind: "chips", names: ["node", "request", "pointer", "client"] },
];

export function RunsView() {
  const here = useStore(place);
  const query = queryOf(here);
  const [isInRow, setInRow] = useState(false);
  const [isAimed, setAimed] = useState(false);
  const marked = here.params.get("mark");
  const runs = useRuns(query, isInRow || isAimed);
  const { rows, value, problem, reload, more, notMore, hasMore, isFollowing, isFurther } = runs;
  const scale = Math.max(1, ...rows.map(({ duration_us }) => duration_us));
  const isNewest = query.order !== "slowest";
  // The full text is shown on hover if it is cut off.
  const counts = `${hasMore ? counted(rows.length, "run").replace(/^\S+?(?=\u00a0)/, "$&+") : counted(rows.length, "run")}, ${
    isNewest ? "newest first" : "slowest first"
  }; ${value?.kept ?? 0} stored, ${value?.dropped ?? 0} evicted`;
  return (
    <div
      class="view runs"
      onPointerOver={({ target }) => setAimed(isInRows(target))}
      onPointerLeave={() => setAimed(false)}
      onFocusCapture={({ target }) => setInRow(isInRows(target))}
      onBlurCapture={({ relatedTarget }) => setInRow(isInRows(relatedTarget))}
    >
      <List
        title="Runs"
        which={<PathTabs label="Which runs" value="runs" />}
        filters={FILTERS}
        asked={runs}
        what="the runs"
        label="Runs"
        rows={rows}
        columns={columnsFor(scale, marked, isNewest)}
        keyOf={({ run_id }) => run_id}
        onOpen={({ run_id }) => go(placeOf(["runs", run_id]))}
        onEnd={more}
        noneFits={{
          title: "No match",
          remedy: "Remove a filter, or send a request.",
        }}
        empty={
          <Empty title="No runs yet">
            Traced runs are listed here: send a request, or raise <code>inspector.sample_ratio</code>.
          </Empty>
        }
      >
        <p class="line dim">
          {value !== undefined && <span title={counts}>{counts}</span>}
          {isFollowing && value !== undefined && problem === undefined && <span>refreshes every 3 s</span>}
          {!isFollowing && !isFurther && <span>paused while a row is read</span>}
          {isFurther && (
            <button type="button" class="plain" onClick={reload}>
              Paused. Show the newest
            </button>
          )}
          {marked !== undefined && (
            <span class="mark" role="status">
              Marked <code>{marked}</code>: select another to compare{" "}
              <button type="button" class="plain" onClick={() => adjust({ mark: undefined })}>
                Clear
              </button>
            </span>
          )}
        </p>
      </List>
      {notMore !== undefined && <Wrong problem={notMore} asked="once" onAgain={more} />}
    </div>
  );
}

function columnsFor(
  scale: number,
  marked: string | undefined,
  isNewest: boolean,
): readonly Column<TraceRow>[] {
  return [
    {
      title: "Started",
      width: "104px",
      ...(isNewest && { hint: "In the order in which runs ended" }),
      cell: ({ started_at }) => <Ago at={started_at} />,
    },
    {
      title: "Route",
      cell: ({ request, circuit, goes_on, labels }) => (
        <>
          {request === null ? (
            <span>
              {circuit} {goes_on !== null && <span class="dim">{originLabel(goes_on)}</span>}
            </span>
          ) : (
            <span title={`${circuit}: ${request.method} ${request.path}`}>
              <span class="method">{request.method}</span> {request.path}
            </span>
          )}
          <RunLabels of={labels} />
        </>
      ),
    },
    {
      title: "Outcome",
      width: "28%",
      cell: (run) => <RunEnd run={run} />,
    },
    {
      title: "Status",
      folds: 2,
      width: "64px",
      align: "right",
      cell: ({ request }) => {
        const status = request?.http_status ?? null;
        return <span class={statusTone(status)}>{status ?? "–"}</span>;
      },
    },
    {
      title: "Duration",
      width: isNewest ? "88px" : "22%",
      align: "right",
      cell: ({ duration_us, node_count }) => (
        <span class="timed">
          {!isNewest && <Bar value={duration_us} scale={scale} />}
          <span>{node_count === 0 ? "–" : duration(duration_us)}</span>
        </span>
      ),
    },
    {
      title: "Run",
      width: "136px",
      folds: 3,
      cell: ({ run_id }) => (
        <Link path={["runs", run_id]} class="mono">
          {run_id}
        </Link>
      ),
    },
    {
      title: "Compare",
      width: "72px",
      cell: ({ run_id }) => (
        <label class="compare">
          <input
            type="checkbox"
            aria-label={`Compare run ${run_id}`}
            checked={run_id === marked}
            onChange={() => {
              if (marked === undefined) adjust({ mark: run_id });
              else if (marked === run_id) adjust({ mark: undefined });
              else go(placeOf(["compare", marked, run_id]));
            }}
          />
        </label>
      ),
    },
  ];
}
