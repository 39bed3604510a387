// The newest unmatched requests. Replaces the list of circuits.

import { api, type UnmatchedData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { statusTone } from "../../format/outcome.js";
import { count } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import { type Filter, Filters } from "../../parts/lists/filters.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { place } from "../../state/router.js";
import { useStore } from "../../state/store.js";

const AGAIN_MS = 5000;
const MOST = 500;
const FILTERS: readonly Filter[] = [
  {
    ...{ kind: "segments", name: "status", label: "Status" },
    options: [["", "All"], ...["404", "405", "400"].map((status) => [status, status] as const)],
  },
  { kind: "chips", names: ["nearest"] },
];

type Row = UnmatchedData["requests"][number];

export function UnmatchedList({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const status = useStore(place, (here) => here.params.get("status"));
  const asked = useResource(
    `unmatched ${status ?? ""}`,
    () => api.unmatched({ ...(status !== undefined && { status: Number(status) }), limit: MOST }),
    AGAIN_MS,
  );
  const near = useStore(place, (here) => here.params.get("nearest"));
  const { requests = [], not_kept: notKept = 0 } = asked.value ?? {};
  const rows = near === undefined ? requests : requests.filter(({ nearest }) => (nearest ?? "none") === near);
  return (
    <>
      <div class="head">
        <h2>Unmatched requests</h2>
        <Filters of={FILTERS} />
        {asked.value !== undefined && (
          <span class="dim">
            newest {count(rows.length)}
            {notKept > 0 && `; ${count(notKept)} more evicted`}
          </span>
        )}
        <Link path={["overview"]} params={params} class="push">
          Circuits
        </Link>
      </div>
      <List
        asked={asked}
        what="the requests"
        label="Unmatched requests"
        filters={FILTERS}
        rows={rows}
        columns={COLUMNS}
        keyOf={(row) => String(rows.indexOf(row))}
        noneFits={{ title: "No match" }}
        empty={
          <Empty title="No unmatched request">
            Requests answered with 404 or 405 because no route matched are listed here.
          </Empty>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "When", width: "112px", cell: ({ at }) => <Ago at={at} /> },
  {
    title: "Status",
    width: "64px",
    cell: ({ status }) => <span class={statusTone(status)}>{status ?? "disconnected"}</span>,
  },
  { title: "Method", width: "88px", cell: ({ method }) => <span title={method}>{method}</span> },
  {
    title: "Path",
    cell: ({ path }) => (
      <span class="mono" title={path}>
        {path}
      </span>
    ),
  },
  {
    title: "Code",
    width: "18%",
    folds: 1,
    cell: ({ code }) => <span title={code ?? ""}>{code ?? "–"}</span>,
  },
  {
    title: "Nearest route",
    width: "20%",
    folds: 3,
    cell: ({ nearest }) => <span title={nearest ?? ""}>{nearest ?? "–"}</span>,
  },
  {
    title: "Request id",
    width: "25%",
    folds: 2,
    cell: ({ request_id: id }) => (
      <span class="mono" title={id ?? ""}>
        {id ?? "–"}
      </span>
    ),
  },
];
