// The nodes of the circuit as a table that sorts by each of its figures. Its selected row is the
// selected box of the picture.

import type { NodeMetrics } from "../../../api/metrics.js";
import { basis, latency, type Percentile, percentile, refusedShare } from "../../format/figure.js";
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

type Known = Row & Pick<NodeFigures, "window">;

const isKnown = (row: Row): row is Known => row.window !== undefined;

const figure = (
  title: string,
  folds: number,
  order: (row: Known) => number | undefined,
  text: (row: Known) => string,
): Column<Row> => ({
  ...{ title, folds, width: title.length > 8 ? "104px" : "80px", align: "right" },
  order: (row) => (isKnown(row) ? order(row) : undefined),
  cell: (row) =>
    isKnown(row) ? (
      <span
        class={title === "Errors" && row.window.errors > 0 ? "fault" : undefined}
        title={basis(title, row.window)}
      >
        {text(row)}
      </span>
    ) : (
      <span class="dim">–</span>
    ),
});

const percentileOf = (title: string, folds: number, which: Percentile): Column<Row> =>
  figure(
    title,
    folds,
    ({ window }) => percentile(window, which),
    ({ window }) => latency(window, which),
  );

const shareOf = (title: string, folds: number, share: (row: Known) => number | undefined): Column<Row> =>
  figure(title, folds, share, (row) => {
    const known = share(row);
    return known === undefined ? "–" : percent(known);
  });

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Node",
    order: ({ name }) => name,
    cell: ({ id, name }) => <span title={id}>{name}</span>,
  },
  { title: "Kind", width: "88px", folds: 1, order: ({ kind }) => kind, cell: ({ kind }) => kind },
  figure(
    "Rate",
    6,
    ({ window }) => window.per_second,
    ({ window }) => rate(window.per_second),
  ),
  percentileOf("p50", 3, "p50_us"),
  percentileOf("p99", 7, "p99_us"),
  shareOf("Errors", 5, ({ window }) => window.error_share),
  shareOf("Refused", 4, ({ window }) => refusedShare(window)),
  shareOf("Share of time", 2, ({ timeShare }) => timeShare),
];
