// The log of a stored run: event, time and node of each entry.

import type { KeptRun } from "../../../api/runs.js";
import { duration } from "../../format/duration.js";
import { absolute, clock } from "../../format/moment.js";
import { counted } from "../../format/quantity.js";
import { type Column, Table } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Empty } from "../../parts/notice.js";
import { WaitsFor, WokenBy } from "./waits.js";

type Entry = KeptRun["entries"][number];

/** Texts for the kinds of entries. An unknown kind is shown as it is. */
const KINDS: Readonly<Record<string, string>> = {
  begun: "started at",
  checkpoint: "checkpoint before",
  waiting: "waits at",
  resumed: "resumed at",
  stuck: "stopped: resumed too often",
  failed: "failed, compensating",
  undone: "compensated one step",
  ended: "ended",
};

export function KeptLog({ run }: { readonly run: KeptRun }) {
  const { circuit, entries, entries_dropped } = run;
  // The index makes keys unique: two entries may have the same time and node.
  const rows = entries.map((entry, n) => ({ entry, n, before: entries[n - 1] }));
  type Row = (typeof rows)[number];
  const columns: readonly Column<Row>[] = [
    {
      title: "At",
      width: "104px",
      cell: ({ entry }) => <time title={absolute(entry.at)}>{clock(entry.at)}</time>,
    },
    {
      title: "After",
      width: "88px",
      align: "right",
      hint: "Since the previous entry",
      cell: ({ entry, before }) =>
        before === undefined ? "" : duration(Math.max(0, entry.at - before.at) * 1000),
    },
    {
      title: "Event",
      cell: ({ entry }) => <Event entry={entry} />,
    },
    {
      title: "Node",
      width: "36%",
      cell: ({ entry: { node } }) => (node === null ? "" : <NodeLink circuit={circuit} node={node} />),
    },
  ];
  return (
    <section class="side" aria-label="Log of the run">
      <h2>
        Log <span class="dim">{counted(entries.length + entries_dropped, "entry", "entries")}</span>
      </h2>
      {entries_dropped > 0 && (
        <p class="dim">The first {counted(entries_dropped, "entry", "entries")} are not listed.</p>
      )}
      <Table
        label="Log"
        rows={rows}
        columns={columns}
        keyOf={({ n }) => String(n)}
        empty={<Empty title="No entries" />}
      />
    </section>
  );
}

function Event({ entry: { kind, wait, woken, epoch } }: { readonly entry: Entry }) {
  if (wait) return <WaitsFor wait={wait} />;
  const process = kind === "resumed" && epoch !== null ? `Process ${epoch} of the run` : undefined;
  return (
    <span class={woken ? undefined : toneOf(kind)} title={process}>
      {woken ? <WokenBy woken={woken} /> : (KINDS[kind] ?? kind)}
    </span>
  );
}

const toneOf = (kind: Entry["kind"]): string | undefined =>
  kind === "failed" || kind === "undone" ? "fault" : kind === "resumed" ? "strong" : undefined;
