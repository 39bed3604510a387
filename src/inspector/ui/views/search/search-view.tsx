// All hits of a search: ids, names and labels first, then texts of runs, a page at a time.

import type { Hit } from "../../../api/search.js";
import { api } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { absolute } from "../../format/moment.js";
import { counted } from "../../format/quantity.js";
import { kindOf, placeOfHit } from "../../frame/search-hits.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import type { Filter } from "../../parts/lists/filters.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import "../runs/runs.css";

const PAGE = 50;
const FILTERS: readonly Filter[] = [{ kind: "field", name: "q", label: "Text", pattern: "\\s*\\S.*\\S\\s*" }];

export function SearchView() {
  const q = useStore(place, ({ params }) => params.get("q")?.trim().slice(0, 200) ?? "");
  const cursor = useStore(place, ({ params }) => params.get("cursor"));
  const isAsked = q.length > 1;
  const asked = useResource(isAsked ? `search ${q} ${cursor}` : undefined, () =>
    api.search({ q, limit: PAGE, ...(cursor !== undefined && { cursor }) }),
  );
  const { facts = [], texts = [], capture, failed = [] } = asked.value ?? {};
  const { searched_until: until = null, cursor: older = null } = asked.value ?? {};
  const rows = [...facts, ...texts];
  return (
    <div class="view runs">
      <List
        title="Search"
        filters={FILTERS}
        asked={isAsked ? asked : { ...asked, value: rows }}
        what="the hits"
        label="Hits"
        rows={rows}
        columns={COLUMNS}
        keyOf={(hit) => `${hit.kind} ${hit.id} ${hit.by} ${hit.at}`}
        onOpen={(hit) => go(placeOfHit(hit))}
        empty={
          <Empty title={isAsked ? "No match" : "Type at least two characters"}>
            Ids, names, labels, codes and statuses, and the texts that stored runs show.
          </Empty>
        }
      >
        <p class="line dim">
          {asked.value !== undefined && (
            <span>
              {facts.length + texts.length < PAGE ? counted(rows.length, "hit") : `first ${rows.length}`}
            </span>
          )}
          {until !== null && (
            <span>
              texts of runs searched until {absolute(until)}{" "}
              <Link path={["search"]} params={{ q, cursor: older ?? undefined }}>
                Search older runs
              </Link>
            </span>
          )}
          {capture === "off" && <span>payloads are not captured</span>}
          {capture === "hash" && <span>texts are not searched: payloads are captured as hashes</span>}
          {failed.map((kind) => (
            <span key={kind} class="fault">
              {kindOf({ kind })}s could not be searched
            </span>
          ))}
        </p>
      </List>
    </div>
  );
}

const COLUMNS: readonly Column<Hit>[] = [
  { title: "When", width: "104px", cell: ({ at }) => <Ago at={at} /> },
  { title: "Kind", width: "96px", cell: kindOf },
  { title: "What", cell: ({ title }) => <span title={title}>{title}</span> },
  { title: "Found in", width: "22%", folds: 1, cell: ({ by }) => <span title={by}>{by}</span> },
  {
    title: "Text",
    width: "30%",
    cell: ({ text }) => (
      <span class="mono" title={text}>
        {text}
      </span>
    ),
  },
];
