import type { Breakpoint } from "../../../api/breakpoints.js";
import { api, type BreakpointsData } from "../../client/api.js";
import type { Resource } from "../../client/resource.js";
import { duration } from "../../format/duration.js";
import { nodeName } from "../../format/node-name.js";
import { count } from "../../format/quantity.js";
import { AskOnce } from "../../parts/ask-once.js";
import { AuditLink } from "../../parts/audit-link.js";
import { List } from "../../parts/lists/list.js";
import type { Column } from "../../parts/lists/table.js";
import { NodeLink } from "../../parts/node-link.js";
import { Empty } from "../../parts/notice.js";

export interface BreakpointTableProps {
  readonly asked: Resource<BreakpointsData>;
  /** Id of the breakpoint in the drawer. */
  readonly open: string | undefined;
  toggle(id: string): void;
}

export function BreakpointTable({ asked, open, toggle }: BreakpointTableProps) {
  return (
    <section aria-label="Breakpoints">
      <List
        asked={asked}
        what="the breakpoints"
        label="Breakpoints"
        isShort
        rows={asked.value?.breakpoints ?? []}
        columns={columnsFor(asked.reload, open, toggle)}
        keyOf={({ id }) => id}
        selected={open}
        onOpen={({ id }) => toggle(id)}
        rowClass={({ enabled }) => (enabled ? undefined : "dim")}
        empty={<Empty title="No breakpoints">Add one with the form above.</Empty>}
      />
    </section>
  );
}

function columnsFor(
  onChanged: () => void,
  open: string | undefined,
  toggle: (id: string) => void,
): readonly Column<Breakpoint>[] {
  return [
    {
      title: "Node",
      width: "22%",
      cell: ({ circuit, node_id }) => <NodeLink circuit={circuit} node={node_id} isOfAny />,
    },
    {
      title: "Condition",
      cell: ({ condition }) =>
        condition === null ? <span class="dim">every run</span> : <code>{condition}</code>,
    },
    {
      title: "Mode",
      width: "112px",
      folds: 2,
      cell: ({ mode, hold_ms }) => (mode === "hold" ? `hold ${duration(hold_ms * 1000)}` : mode),
    },
    {
      title: "Hits",
      width: "120px",
      folds: 4,
      align: "right",
      hint: "Of its limit",
      cell: ({ id, node_id, hits, max_hits, snapshots }) => {
        const text = `${count(hits)} of ${count(max_hits)}`;
        if (snapshots.length === 0) return text;
        return (
          <button
            type="button"
            class="plain"
            aria-label={`${text}: snapshots at ${nodeName(node_id)}`}
            aria-expanded={id === open}
            onClick={() => toggle(id)}
          >
            {text}
          </button>
        );
      },
    },
    {
      title: "Not held",
      width: "88px",
      folds: 1,
      align: "right",
      hint: "Matching runs that passed because the limit of held runs was reached",
      cell: ({ let_through }) => count(let_through),
    },
    {
      title: "State",
      width: "64px",
      folds: 3,
      cell: ({ enabled }) => (enabled ? <strong class="held">armed</strong> : "off"),
    },
    {
      title: "Actions",
      width: "300px",
      cell: ({ id, enabled, node_id }) => (
        <>
          <AskOnce
            class="plain"
            says={enabled ? "Disable this breakpoint?" : "Enable this breakpoint?"}
            act={() => api.changeBreakpoint(id, { enabled: !enabled }).then(onChanged)}
          >
            {enabled ? "Disable" : "Enable"}
          </AskOnce>
          <AskOnce
            class="plain"
            says={`Delete breakpoint at ${nodeName(node_id)}?`}
            act={() => api.removeBreakpoint(id).then(onChanged)}
          >
            Delete
          </AskOnce>{" "}
          <AuditLink of={{ target: node_id }} />
        </>
      ),
    },
  ];
}
