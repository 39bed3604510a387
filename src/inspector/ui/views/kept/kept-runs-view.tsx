// Runs in stores: the unfinished ones, the earliest start first, or the ended ones in one state, the newest first.

import { useState } from "preact/hooks";

import { RUN_STATE_NAMES, RUN_STATES } from "#core/ports/run-state.js";
import { api, type UnfinishedData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { List } from "../../parts/lists/list.js";
import { useMany } from "../../parts/lists/many.js";
import type { Column } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Empty } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";
import { RunLabels } from "../../parts/run-labels.js";
import { go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { placeOf } from "../../url/place.js";
import { LABEL_FILTER, labelOf } from "../runs/run-filters.js";
import { CANCELLED, RESUMED } from "./actions.js";
import { RED } from "./kept-run-view.js";
import { isAtWork, isOver, shownState } from "./steps.js";
import { Waits } from "./waits.js";
import "./kept.css";

const AGAIN_MS = 5000;
/** The server's limit of one list. */
const MOST = 500;
/** Of ended runs. */
const PAGE = 100;

type Row = UnfinishedData["runs"][number];

const isEnded = (state: Row["state"]): state is "completed" | "failed" | "cancelled" =>
  RUN_STATES[state].isOver;
const STATE_FILTER = {
  kind: "segments",
  name: "state",
  label: "State",
  options: [["", "All"], ...RUN_STATE_NAMES.map((state) => [state, state] as const)],
} as const;

export function KeptRunsView() {
  const circuit = useStore(place, ({ params }) => params.get("circuit"));
  const label = useStore(place, labelOf);
  const state = useStore(place, ({ params }) => RUN_STATE_NAMES.find((one) => one === params.get("state")));
  const cursor = useStore(place, ({ params }) => params.get("cursor"));
  const [reason, setReason] = useState("");
  const asked = useResource(
    `durable runs ${circuit ?? ""} ${state ?? ""} ${label ?? ""} ${cursor ?? ""}`,
    async (): Promise<{ readonly runs: readonly Row[]; readonly cursor?: string | null }> => {
      const which = { ...(circuit && { circuit }), ...(label && { label }) };
      if (state && isEnded(state))
        return api.runList({ ...which, state, limit: PAGE, ...(cursor && { cursor }) });
      return api.keptRuns({ ...which, ...(state && { state }), limit: MOST });
    },
    AGAIN_MS,
  );
  const many = useMany(asked.value?.runs ?? [], ({ run_id }) => run_id, asked.reload);
  const { rows } = many;
  const columns: readonly Column<Row>[] = [
    many.column,
    ...COLUMNS.filter(({ title }) => title !== "Waits for" || rows.some(({ wait }) => wait)),
    { title: "Result", width: "20%", folds: 4, cell: (row) => many.resultOf(row) ?? "" },
  ];
  return (
    <div class="view">
      <List
        title="Runs"
        which={<PathTabs label="Which runs" value="kept" />}
        // Without a persisted circuit there is no filter.
        filters={asked.problem?.status === 501 ? [] : [{ kind: "circuit" }, STATE_FILTER, LABEL_FILTER]}
        counts={
          asked.value !== undefined && (
            <span class="dim">
              {state && isEnded(state) ? (
                <>
                  {counted(rows.length, `${state} run`)}, newest first{" "}
                  {asked.value.cursor && (
                    <Link path={["kept"]} params={{ state, circuit, label, cursor: asked.value.cursor }}>
                      Older runs
                    </Link>
                  )}
                </>
              ) : (
                <>
                  {counted(rows.length, "unfinished run")}
                  {rows.length >= MOST && " or more"}, oldest first; refreshes every 5 s
                </>
              )}
            </span>
          )
        }
        asked={asked}
        what="the durable runs"
        label="Durable runs"
        rows={rows}
        columns={rows.some((row) => many.resultOf(row)) ? columns : columns.slice(0, -1)}
        keyOf={({ run_id }) => run_id}
        onOpen={({ run_id }) => go(placeOf(["kept", run_id]))}
        noneFits={{ title: "No match" }}
        empty={
          <Empty title="No durable runs">
            A circuit with <code>withPersistenceStore</code> stores its runs in a log. Interrupted runs are
            listed here until they are resumed.
          </Empty>
        }
      >
        {many.bar(
          rows,
          [
            {
              name: "Resume",
              says: "Runs at work, and those that wait, are left alone.",
              fits: (row) => !isOver(row) && !isAtWork(row) && !row.wait && row.state !== "unfit",
              act: async ({ run_id }) => RESUMED[(await api.resumeRun(run_id, false)).result],
            },
            {
              name: "Cancel",
              says: "Their completed steps are compensated.",
              disabled: reason.trim() === "",
              fits: (row) => !isOver(row),
              act: async ({ run_id }) => CANCELLED[(await api.cancelRun(run_id, reason, false)).result],
            },
          ],
          <input
            type="text"
            aria-label="Reason"
            placeholder="reason, to cancel"
            maxLength={1000}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />,
        )}
      </List>
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "State",
    width: "104px",
    cell: (row) => (
      <span
        class={RED.has(row.state) ? "status fault" : "status"}
        title={row.unfit ?? row.cancel?.reason ?? RUN_STATES[row.state].says}
      >
        {shownState(row)}
      </span>
    ),
  },
  {
    title: "Node",
    cell: ({ circuit, node }) =>
      node === null ? (
        <Link path={["circuits", circuit]}>{circuit}</Link>
      ) : (
        <NodeLink circuit={circuit} node={node} isOfAny />
      ),
  },
  {
    title: "Since",
    width: "96px",
    hint: "Time of the latest log entry: since then the run is at its node, or waits",
    cell: ({ last_at }) => <Ago at={last_at} />,
  },
  {
    title: "Waits for",
    width: "20%",
    folds: 2,
    cell: ({ wait }) => wait && <Waits wait={wait} isShort />,
  },
  { title: "Started", width: "96px", folds: 1, cell: ({ began_at }) => <Ago at={began_at} /> },
  {
    title: "Owner",
    width: "112px",
    folds: 3,
    cell: ({ owner }) =>
      owner === null ? (
        <span class="dim">none</span>
      ) : (
        <Link path={["hosts"]} title={owner.host} class={owner.is_alive === false ? "dim" : "mono"}>
          {owner.host.slice(0, 8)}
          {owner.is_alive === false && " (gone)"}
        </Link>
      ),
  },
  {
    title: "Run",
    width: "32%",
    cell: ({ run_id, labels }) => (
      <>
        <Link path={["kept", run_id]} class="mono">
          {run_id}
        </Link>
        <RunLabels of={labels} list="kept" />
      </>
    ),
  },
];
