// What refused requests have in common, below the circuits. Hidden if there are none.

import { api, type RefusalsData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { type WindowSeconds, windowText } from "../../format/figure.js";
import { count, counted, percent } from "../../format/quantity.js";
import { type Column, Table } from "../../parts/lists/table.js";
import { Wrong } from "../../parts/notice.js";
import { go } from "../../state/router.js";
import type { WindowChoice } from "../../state/window-choice.js";
import { type Place, placeOf } from "../../url/place.js";

const AGAIN_MS = 5000;

type Group = RefusalsData["groups"][number];

const NAMES: Readonly<Record<Group["by"], string>> = {
  code: "Code",
  route: "Route",
  pointer: "Invalid value",
  client: "Client",
  unmatched: "No route",
};

export function Refusals({
  choice,
  seconds,
}: Pick<WindowChoice, "choice"> & { readonly seconds: WindowSeconds }) {
  const { value, problem, reload } = useResource(
    `refusals ${choice}`,
    () => api.refusals({ window: choice }),
    AGAIN_MS,
  );
  if (problem !== undefined && problem.status !== 501) return <Wrong problem={problem} onAgain={reload} />;
  if (value === undefined || value.groups.length === 0) return null;
  const { groups, runs, unmatched } = value;
  return (
    <section aria-labelledby="refusals" class="long-steps">
      <div class="head">
        <h2 id="refusals">Refusals in common</h2>
        <span class="dim">
          {counted(runs, "stored refused run")} and {counted(unmatched, "unmatched request")},{" "}
          {windowText(seconds)}
        </span>
      </div>
      <Table
        label="Refusals in common"
        isShort
        rows={groups}
        columns={columnsFor(runs, unmatched)}
        keyOf={({ by, value }) => `${by} ${value}`}
        onOpen={(group) => go(runsOf(group))}
        empty={null}
      />
    </section>
  );
}

function runsOf({ by, value }: Group): Place {
  if (by === "unmatched") return placeOf(["overview"], { show: "unmatched", nearest: value });
  return placeOf(["runs"], { outcome: "refused", [by]: value });
}

const columnsFor = (runs: number, unmatched: number): readonly Column<Group>[] => [
  { title: "By", width: "112px", cell: ({ by }) => NAMES[by] },
  { title: "Value", cell: (group) => <span title={group.value}>{valueText(group)}</span> },
  {
    title: "Refused",
    width: "144px",
    align: "right",
    cell: ({ by, count: n }) => `${count(n)} (${percent(n / (by === "unmatched" ? unmatched : runs))})`,
  },
];

const valueText = ({ by, value }: Group): string =>
  by !== "unmatched" ? value : value === "none" ? "No similar route" : `${value} exists`;
