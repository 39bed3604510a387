import { useState } from "preact/hooks";

import type { Breakpoint } from "../../../api/breakpoints.js";
import { api } from "../../client/api.js";
import { duration } from "../../format/duration.js";
import { count } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Payload } from "../../parts/payload.js";
import { Empty } from "../../parts/said.js";
import { type Column, Table } from "../../parts/table.js";
import { To } from "../../parts/to.js";

export interface BreakpointTableProps {
  readonly breakpoints: readonly Breakpoint[];
  onChanged(): void;
}

export function BreakpointTable({ breakpoints, onChanged }: BreakpointTableProps) {
  const [open, setOpen] = useState<string | undefined>(undefined);
  const shown = breakpoints.find(({ id }) => id === open);
  return (
    <section aria-label="Breakpoints">
      <Table
        label="Breakpoints"
        isShort
        rows={breakpoints}
        columns={columnsFor(onChanged, open, setOpen)}
        keyOf={({ id }) => id}
        selected={open}
        onOpen={({ id }) => setOpen(id === open ? undefined : id)}
        rowClass={({ enabled }) => (enabled ? undefined : "dim")}
        empty={<Empty title="No breakpoints">The form above arms one.</Empty>}
      />
      {shown !== undefined && shown.snapshots.length > 0 && (
        <section class="snapshots" aria-label="Snapshots">
          <h2>Snapshots at {shown.label}</h2>
          {shown.snapshots.map(({ run_id, at, input }) => (
            <div key={run_id}>
              <p>
                <To path={["runs", run_id]} class="mono">
                  {run_id}
                </To>{" "}
                <Ago at={at} />
              </p>
              <Payload payload={input} what="the input" />
            </div>
          ))}
        </section>
      )}
    </section>
  );
}

function columnsFor(
  onChanged: () => void,
  open: string | undefined,
  show: (id: string | undefined) => void,
): readonly Column<Breakpoint>[] {
  return [
    {
      title: "Node",
      width: "22%",
      cell: ({ circuit, node_id, label }) => (
        <To path={["circuits", circuit]} params={{ node: node_id }} title={node_id}>
          {circuit} · {label}
        </To>
      ),
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
      hint: "Of as many as it may have",
      cell: ({ id, label, hits, max_hits, snapshots }) => {
        const text = `${count(hits)} of ${count(max_hits)}`;
        if (snapshots.length === 0) return text;
        return (
          <button
            type="button"
            class="plain"
            aria-label={`${text}: snapshots at ${label}`}
            aria-expanded={id === open}
            onClick={() => show(id === open ? undefined : id)}
          >
            {text}
          </button>
        );
      },
    },
    {
      title: "Let through",
      width: "88px",
      folds: 1,
      align: "right",
      hint: "Runs that went on because as many were held as may be",
      cell: ({ let_through }) => count(let_through),
    },
    {
      title: "State",
      width: "64px",
      folds: 3,
      cell: ({ enabled }) => (enabled ? <strong class="held">armed</strong> : "off"),
    },
    {
      title: "Change",
      width: "300px",
      cell: ({ id, enabled, label }) => (
        <>
          <AskOnce
            class="plain"
            says={enabled ? "No more runs are held?" : "Runs are held again?"}
            act={() => api.changeBreakpoint(id, { enabled: !enabled }).then(onChanged)}
          >
            {enabled ? "Switch off" : "Arm again"}
          </AskOnce>
          <AskOnce
            class="plain"
            says={`Take the one at ${label} away?`}
            act={() => api.removeBreakpoint(id).then(onChanged)}
          >
            Remove
          </AskOnce>
        </>
      ),
    },
  ];
}
