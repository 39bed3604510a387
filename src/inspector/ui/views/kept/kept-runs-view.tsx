// Unfinished runs in stores, the earliest start first.

import { api, type UnfinishedData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";
import { RunLabels } from "../../parts/run-labels.js";
import { go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { placeOf } from "../../url/place.js";
import { LABEL_FILTER, labelOf } from "../runs/run-filters.js";

const AGAIN_MS = 5000;
/** The server's limit of one list. */
const MOST = 500;

type Row = UnfinishedData["runs"][number];

export function KeptRunsView() {
  const circuit = useStore(place, ({ params }) => params.get("circuit"));
  const label = useStore(place, labelOf);
  const asked = useResource(
    `durable runs ${circuit ?? ""} ${label ?? ""}`,
    () => api.keptRuns({ ...(circuit && { circuit }), ...(label && { label }), limit: MOST }),
    AGAIN_MS,
  );
  const rows = asked.value?.runs ?? [];
  return (
    <div class="view">
      <List
        title="Runs"
        which={<PathTabs label="Which runs" value="kept" />}
        // Without a persisted circuit there is no filter.
        filters={asked.problem?.status === 501 ? [] : [{ kind: "circuit" }, LABEL_FILTER]}
        counts={
          asked.value !== undefined && (
            <span class="dim">
              {counted(rows.length, "unfinished run")}
              {rows.length >= MOST && " or more"}, oldest first; refreshes every 5 s
            </span>
          )
        }
        asked={asked}
        what="the durable runs"
        label="Durable runs"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ run_id }) => run_id}
        onOpen={({ run_id }) => go(placeOf(["kept", run_id]))}
        noneFits={{ title: "No match" }}
        empty={
          <Empty title="No durable runs">
            A circuit with <code>withPersistenceStore</code> stores its runs in a log. Interrupted runs are
            listed here until they are resumed.
          </Empty>
        }
      />
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "Started", width: "112px", cell: ({ began_at }) => <Ago at={began_at} /> },
  { title: "Circuit", cell: ({ circuit }) => <Link path={["circuits", circuit]}>{circuit}</Link> },
  {
    title: "Last entry",
    width: "112px",
    hint: "Time of the latest log entry. A run without entries for long was probably interrupted.",
    cell: ({ last_at }) => <Ago at={last_at} />,
  },
  {
    title: "Run",
    width: "40%",
    cell: ({ run_id, stuck, unfit, labels }) => (
      <>
        <Link path={["kept", run_id]} class="mono">
          {run_id}
        </Link>
        {stuck && <span class="status fault">stuck</span>}
        {unfit !== null && (
          <span class="status fault" title={unfit}>
            unfit
          </span>
        )}
        <RunLabels of={labels} list="kept" />
      </>
    ),
  },
];
