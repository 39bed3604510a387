// The nodes of the circuit as a table that sorts by each of its figures. Its selected row is the
// selected box of the picture.

import type { NodeMetrics } from "../../../api/metrics.js";
import { basis, latency, percentile, refusedShare } from "../../format/figure.js";
import { nodeName } from "../../format/node-name.js";
import { percent, rate } from "../../format/quantity.js";
import { type Filter, Filters } from "../../parts/lists/filters.js";
import { type Column, Table } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { adjust, choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import type { Figures, NodeFigures } from "./figures.js";

interface Row extends Partial<NodeFigures> {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

export interface NodeTableProps {
  readonly nodes: readonly NodeMetrics[];
  readonly figures: Figures;
  readonly selected: string | undefined;
}

/** Tables of more rows scroll by themselves. */
const SHORT = 200;
const FILTERS: readonly Filter[] = [{ kind: "text", placeholder: "Node" }];

export function NodeTable({ nodes, figures, selected }: NodeTableProps) {
  const sorted = useStore(place, ({ params }) => params.get("sort"));
  const filter = useStore(place, ({ params }) => params.get("filter")?.trim().toLowerCase() ?? "");
  const rows = nodes
    .map(({ node: id, kind }): Row => ({ id, kind, name: nodeName(id), ...figures.of.get(id) }))
    .filter(({ name }) => name.toLowerCase().includes(filter));
  return (
    <>
      {nodes.length > SHORT && <Filters of={FILTERS} />}
      <Table
        label="Nodes"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={({ id }) => choose({ node: id === selected ? undefined : id })}
        selected={selected}
        isShort={nodes.length <= SHORT}
        sorted={sorted}
        onSort={(sort) => adjust({ sort })}
        empty={<Empty title={filter === "" ? "No nodes" : "No match"} />}
      />
    </>
  );
}

const figure = (
  title: string,
  width: string,
  folds: number | undefined,
  order: (row: Required<Pick<Row, "window">> & Row) => number | undefined,
  text: (row: Required<Pick<Row, "window">> & Row) => string,
): Column<Row> => ({
  ...{ title, width, align: "right" },
  ...(folds !== undefined && { folds }),
  order: (row) => (row.window === undefined ? undefined : order({ ...row, window: row.window })),
  cell: (row) => {
    const { window } = row;
    if (window === undefined) return <span class="dim">–</span>;
    const isError = title === "Errors" && window.errors > 0;
    return (
      <span class={isError ? "fault" : undefined} title={basis(title, window, "run")}>
        {text({ ...row, window })}
      </span>
    );
  },
});

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Node",
    order: ({ name }) => name,
    cell: ({ id, name }) => <span title={id}>{name}</span>,
  },
  { title: "Kind", width: "88px", folds: 1, order: ({ kind }) => kind, cell: ({ kind }) => kind },
  figure(
    ...(["Rate", "72px", undefined] as const),
    ({ window }) => window.per_second,
    ({ window }) => rate(window.per_second),
  ),
  figure(
    ...(["p50", "80px", 3] as const),
    ({ window }) => percentile(window, "p50_us"),
    ({ window }) => latency(window, "p50_us"),
  ),
  figure(
    ...(["p99", "80px", undefined] as const),
    ({ window }) => percentile(window, "p99_us"),
    ({ window }) => latency(window, "p99_us"),
  ),
  figure(
    ...(["Errors", "72px", 5] as const),
    ({ window }) => window.error_share,
    ({ window }) => percent(window.error_share),
  ),
  figure(
    ...(["Refused", "80px", 4] as const),
    ({ window }) => refusedShare(window),
    ({ window }) => percent(refusedShare(window)),
  ),
  figure(
    ...(["Share of time", "104px", 2] as const),
    ({ timeShare }) => timeShare,
    ({ timeShare }) => (timeShare === undefined ? "–" : percent(timeShare)),
  ),
];
