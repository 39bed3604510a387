// All circuits that are mounted, with the routes that run them.

import type { CircuitRow } from "../../../api/circuits.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { Empty, Loading, Wrong } from "../../parts/said.js";
import { type Column, Table } from "../../parts/table.js";
import { To } from "../../parts/to.js";
import { go } from "../../state/router.js";
import { placeOf } from "../../url/place.js";

const WATCHED: Record<CircuitRow["watched"], string> = {
  off: "not watched",
  counted: "counted",
  sampled: "sampled",
  all: "every run",
};

const COLUMNS: readonly Column<CircuitRow>[] = [
  { title: "Circuit", cell: ({ name }) => <To path={["circuits", name]}>{name}</To> },
  { title: "Version", width: "96px", cell: ({ version }) => version || "–" },
  {
    title: "Routes",
    width: "40%",
    cell: ({ routes, kind }) => (routes.length > 0 ? routes.join(", ") : kind),
  },
  { title: "Nodes", width: "72px", folds: 1, align: "right", cell: ({ node_count }) => node_count },
  { title: "Watched", width: "120px", folds: 2, cell: ({ watched }) => WATCHED[watched] },
];

export function CircuitsView() {
  const { value, problem, reload } = useResource("schematics", api.schematics);
  return (
    <div class="view">
      <div class="head">
        <h1>Circuits</h1>
      </div>
      {problem !== undefined && <Wrong problem={problem} onAgain={reload} />}
      {(value !== undefined || problem === undefined) && (
        <Table
          label="Circuits"
          rows={value?.circuits ?? []}
          columns={COLUMNS}
          keyOf={({ name }) => name}
          onOpen={({ name }) => go(placeOf(["circuits", name]))}
          empty={
            value === undefined ? (
              <Loading what="the circuits" />
            ) : (
              <Empty title="No circuits">Routes that are mounted stand here.</Empty>
            )
          }
        />
      )}
    </div>
  );
}
