// The runs that stores keep and that have not ended: those that began first first.

import { api, type UnfinishedData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Empty, Loading, Wrong } from "../../parts/said.js";
import { type Column, Table } from "../../parts/table.js";
import { To } from "../../parts/to.js";
import { go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { placeOf } from "../../url/place.js";
import { CircuitChoice } from "../runs/filters.js";
import { WhichRuns } from "../runs/which-runs.js";

const AGAIN_MS = 5000;
/** As many as the server lists at once. */
const MOST = 500;

type Row = UnfinishedData["runs"][number];

export function KeptRunsView() {
  const circuit = useStore(place, ({ params }) => params.get("circuit"));
  const { value, problem, reload } = useResource(
    `kept runs ${circuit ?? ""}`,
    () => api.keptRuns({ ...(circuit === undefined ? {} : { circuit }), limit: MOST }),
    AGAIN_MS,
  );
  // Where no circuit keeps any there is none to choose.
  const isServed = problem?.status !== 501;
  const rows = value?.runs ?? [];
  return (
    <div class="view">
      <div class="head">
        <h1>Runs</h1>
        <WhichRuns value="unfinished" />
        {isServed && <CircuitChoice />}
        {value !== undefined && (
          <span class="dim">
            {counted(rows.length, "unfinished run")}
            {rows.length >= MOST && " and perhaps more"}, the oldest first; asked again every 5 s
          </span>
        )}
      </div>
      {problem !== undefined && isServed && <Wrong problem={problem} onAgain={reload} />}
      {!isServed && <Empty title="No runs are kept">{problem?.detail}</Empty>}
      {value === undefined && problem === undefined && <Loading what="the kept runs" />}
      {value !== undefined && isServed && (
        <Table
          label="Kept runs"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ run_id }) => run_id}
          onOpen={({ run_id }) => go(placeOf(["kept", run_id]))}
          empty={
            <Empty title={circuit === undefined ? "No unfinished run is kept" : "No run fits"}>
              A circuit with <code>withPersistenceStore</code> keeps its runs in a log. One whose process was
              stopped stands here until somebody goes on with it.
            </Empty>
          }
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "Began", width: "112px", cell: ({ began_at }) => <Ago at={began_at} /> },
  { title: "Circuit", cell: ({ circuit }) => <To path={["circuits", circuit]}>{circuit}</To> },
  {
    title: "Last entry",
    width: "112px",
    hint: "When its log has grown last: nobody may be at a run that has stood still for long",
    cell: ({ last_at }) => <Ago at={last_at} />,
  },
  {
    title: "Run",
    width: "40%",
    cell: ({ run_id }) => (
      <To path={["kept", run_id]} class="mono">
        {run_id}
      </To>
    ),
  },
];
