// Steps worth offloading to a thread, below the circuits. Hidden if there are none.

import { api, type OffloadData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { count, counted, percent } from "../../format/quantity.js";
import { type Column, Table } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Wrong } from "../../parts/notice.js";

const AGAIN_MS = 5000;

type Row = OffloadData["steps"][number];

export function LongSteps() {
  const { value, problem, reload } = useResource("offload", api.offload, AGAIN_MS);
  // A missing capability (501) is shown in System.
  if (problem !== undefined && problem.status !== 501) return <Wrong problem={problem} onAgain={reload} />;
  if (value === undefined || value.steps.length === 0) return null;
  const { steps, not_listed: more } = value;
  return (
    <section aria-labelledby="could-be-offloaded" class="long-steps">
      <div class="head">
        <h2 id="could-be-offloaded">Could be offloaded</h2>
        <span class="dim">
          Steps that block the event loop, since start; {crossing(value)}. <code>axon.offload</code> runs them
          in a thread: docs/offload.md.
          {more > 0 && ` ${counted(more, "more step")} not listed.`}
        </span>
      </div>
      <Table
        label="Could be offloaded"
        isShort
        rows={steps}
        columns={COLUMNS}
        keyOf={({ circuit, node }) => `${circuit} ${node}`}
        empty={null}
      />
    </section>
  );
}

function crossing({ crossing_us: us, crossing_calls: calls }: OffloadData): string {
  const basis = calls === 0 ? "default, not measured" : `mean of ${counted(calls, "offloaded call")}`;
  return `crossing costs ${duration(us)} per call (${basis})`;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Step",
    cell: ({ circuit, node }) => <NodeLink circuit={circuit} node={node} isOfAny />,
  },
  {
    title: "Calls",
    width: "80px",
    folds: 1,
    align: "right",
    hint: "Calls of recorded runs, since start",
    cell: ({ calls }) => count(calls),
  },
  {
    title: "Over 1 ms",
    width: "80px",
    folds: 2,
    align: "right",
    hint: "Share of these calls that held the loop for more than 1 ms",
    cell: ({ calls, long_calls }) => (
      <span title={`${count(long_calls)} of ${counted(calls, "call")}`}>
        {calls === 0 ? "–" : percent(long_calls / calls)}
      </span>
    ),
  },
  {
    title: "Mean",
    width: "80px",
    folds: 3,
    align: "right",
    hint: "Until the step returns a value or a promise",
    cell: ({ mean_us: mean, calls }) => (
      <span title={`Mean of ${counted(calls, "call")}`}>{mean === null ? "–" : duration(mean)}</span>
    ),
  },
  {
    title: "Longest",
    width: "80px",
    align: "right",
    hint: "Of all runs, recorded or not",
    cell: ({ longest_us }) => duration(longest_us),
  },
  {
    title: "Gain per call",
    width: "104px",
    align: "right",
    hint: "Mean minus crossing: loop time freed per call",
    cell: ({ gain_us: us }) =>
      us === null ? <span title="No recorded runs">–</span> : <strong>{duration(us)}</strong>,
  },
];
