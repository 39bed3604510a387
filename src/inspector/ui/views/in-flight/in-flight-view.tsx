// Recorded runs that have not ended: where they are, what is on their Bus, and their abort.

import { api, type InFlightData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { nodeName } from "../../format/node-name.js";
import { counted } from "../../format/quantity.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Link } from "../../parts/link.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Empty } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";

type Row = InFlightData["runs"][number];

export function InFlightView() {
  const asked = useResource("in flight", api.inFlight, 2000);
  const { runs = [], not_listed: others = 0 } = asked.value ?? {};
  return (
    <div class="view">
      <List
        title="Runs"
        which={<PathTabs label="Which runs" value="in-flight" />}
        counts={
          <span class="dim">
            {counted(runs.length, "run")} in flight{others > 0 && `, ${others} more`}, oldest first; refreshes
            every 2 s
          </span>
        }
        asked={asked}
        what="the runs in flight"
        label="Runs in flight"
        rows={runs}
        columns={[
          ...COLUMNS,
          { title: "", width: "176px", cell: (row) => <Abort {...row} onDone={asked.reload} /> },
        ]}
        keyOf={({ run_id }) => run_id}
        empty={<Empty title="No runs in flight">Recorded runs are listed here until they end.</Empty>}
      />
    </div>
  );
}

function Abort({ run_id, onDone }: { readonly run_id: string; onDone(): void }) {
  return (
    <AskOnce says="Abort the run? Its client gets an error." act={() => api.abortRun(run_id).then(onDone)}>
      Abort
    </AskOnce>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Elapsed",
    width: "88px",
    align: "right",
    cell: ({ elapsed_ms }) => duration(Math.round(elapsed_ms * 1000)),
  },
  {
    title: "Node",
    width: "24%",
    cell: ({ circuit, node, is_held }) => (
      <>
        <NodeLink circuit={circuit} node={node ?? `${circuit}:in`} isOfAny />
        {is_held && (
          <Link path={["breakpoints"]} class="held">
            {" held"}
          </Link>
        )}
      </>
    ),
  },
  { title: "Path", cell: ({ path }) => <Cut text={path.map(nodeName).join(" → ")} /> },
  { title: "Bus", width: "20%", folds: 2, cell: ({ bus }) => <Cut text={bus.join(", ")} /> },
  {
    title: "Run",
    width: "192px",
    folds: 1,
    cell: ({ run_id, request }) => (
      <Link path={["runs", run_id]} params={{ traced: "1" }} title={run_id}>
        {request === null ? run_id : `${request.method} ${request.path}`}
      </Link>
    ),
  },
];

const Cut = ({ text }: { readonly text: string }) => <span title={text}>{text}</span>;
