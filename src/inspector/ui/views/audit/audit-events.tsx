// The events of the audit log, the newest first.

import type { ShownAuditEvent } from "../../../api/audit.js";
import { count, counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { Link } from "../../parts/link.js";
import type { Filter } from "../../parts/lists/filters.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty, Wrong } from "../../parts/notice.js";
import { PathTabs } from "../../parts/path-tabs.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { EventDrawer } from "./event-drawer.js";
import { RecordedText } from "./recorded-text.js";
import { queryOf, useEvents } from "./use-events.js";

const FILTERS: readonly Filter[] = [
  { kind: "field", name: "actor", label: "Actor" },
  { kind: "field", name: "action", label: "Action" },
  { kind: "field", name: "target", label: "Target" },
  { kind: "field", name: "run", label: "Run" },
  { kind: "field", name: "text", label: "Text" },
  { kind: "moment", name: "since", label: "From" },
  { kind: "moment", name: "until", label: "To" },
];

export function AuditEvents() {
  const here = useStore(place);
  const query = queryOf(here);
  const events = useEvents(query);
  const { rows, value, read, hasOlder, isAsking, notOlder, older, reload, at } = events;
  const isSearched = query.run !== undefined || query.text !== undefined;
  const chosen = here.params.get("event");
  const selected = rows.find(({ position }) => String(position) === chosen);
  return (
    <>
      <div class="view audit">
        <List
          title="Audit"
          which={<PathTabs label="Audit log" value="audit" />}
          filters={FILTERS}
          asked={events}
          what="the events"
          label="Audit events"
          rows={rows}
          columns={columnsFor(here.params)}
          keyOf={({ position }) => String(position)}
          selected={selected && String(selected.position)}
          onOpen={({ position }) => choose({ event: String(position) })}
          rowClass={({ problem }) => (problem === null ? undefined : "changed")}
          noneFits={{
            title: hasOlder ? `No match in the newest ${counted(read, "event")}` : "No match",
            remedy: hasOlder ? "Older events are not loaded yet." : "Remove a filter.",
          }}
          empty={
            <Empty title="No audit events">
              AuditLog steps, interventions, and operators' actions on this page are recorded here.
            </Empty>
          }
        >
          {value !== undefined && (
            <p class="line dim">
              <code>{value.log}</code>
              <span>
                {counted(rows.length, "event")}, newest first{isSearched && `, of ${count(read)} read`}
              </span>
              <span>
                requested <Ago at={at} />
              </span>
              <button type="button" class="plain" onClick={reload}>
                Refresh
              </button>
            </p>
          )}
        </List>
        {hasOlder && (
          <p>
            <button type="button" aria-disabled={isAsking} onClick={older}>
              {isAsking ? "Loading…" : "Older"}
            </button>
          </p>
        )}
        {notOlder !== undefined && <Wrong problem={notOlder} asked="once" onAgain={older} />}
      </div>
      {selected !== undefined && (
        <EventDrawer key={selected.position} shown={selected} onClose={() => choose({ event: undefined })} />
      )}
    </>
  );
}

const columnsFor = (params: ReadonlyMap<string, string>): readonly Column<ShownAuditEvent>[] => [
  {
    title: "Time",
    width: "104px",
    cell: ({ event, position }) => (
      <Link path={["audit"]} params={{ ...Object.fromEntries(params), event: String(position) }}>
        {event === null ? `event ${position}` : <When timestamp={event.timestamp} />}
      </Link>
    ),
  },
  { title: "Actor", width: "20%", cell: ({ event }) => event && <RecordedText text={event.actor} /> },
  {
    title: "Action",
    width: "20%",
    cell: ({ event, problem }) => (
      <>
        {problem !== null && event !== null && (
          <strong class="fault" title={problem}>
            changed{" "}
          </strong>
        )}
        {event === null ? <span class="fault">{problem}</span> : <RecordedText text={event.action} />}
      </>
    ),
  },
  { title: "Target", cell: ({ event }) => event && <RecordedText text={event.target} /> },
  {
    title: "Intent",
    width: "22%",
    folds: 1,
    cell: ({ event }) => event?.intent != null && <RecordedText text={event.intent} />,
  },
];

/** A forged timestamp may be any text. */
function When({ timestamp }: { readonly timestamp: string }) {
  const at = Date.parse(timestamp);
  return Number.isNaN(at) ? <RecordedText text={timestamp} /> : <Ago at={at} />;
}
