// What a step did inside: its calls of services and stores, and spans of OpenTelemetry, as rows
// below its own.

import type { InnerRow, TraceNode } from "../../../api/traces.js";
import { duration } from "../../format/duration.js";
import { Json } from "../../parts/values/json.js";

const WAITS = { checkpoint: "RunStore.append", lock: "LockProvider.acquire" } as const;

interface Row {
  readonly name: string;
  readonly what: string;
  readonly depth: number;
  readonly fromUs: number;
  readonly tookUs: number;
  readonly piece: "work" | "failed" | "checkpoint" | "lock";
  /** Code of the failure, or that it was not over. */
  readonly tag: string | null;
}

/** The waits of its run first: they are before the step, or after it. */
function rowsOf({ inner = [], waits = [] }: TraceNode): readonly Row[] {
  return [
    ...waits.map(({ reason, from_us, waited_us }) => ({
      ...{ name: WAITS[reason], what: "store", depth: 0, tag: null, piece: reason },
      ...{ fromUs: from_us, tookUs: waited_us },
    })),
    ...inner.map(({ name, kind, depth, from_us, duration_us, failed, is_open }) => ({
      ...{
        name,
        depth,
        tag: failed ?? (is_open ? "open" : null),
        what: is_open ? `${kind}, not over when the run ended` : kind,
      },
      ...({ fromUs: from_us, tookUs: duration_us, piece: failed === null ? "work" : "failed" } as const),
    })),
  ];
}

export interface InnerRowsProps {
  readonly visit: TraceNode;
  percent(us: number): string;
  readonly onSelect: (() => void) | undefined;
}

export function InnerRows({ visit, percent, onSelect }: InnerRowsProps) {
  return (
    <>
      {rowsOf(visit).map(({ name, what, depth, fromUs, tookUs, piece, tag }, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the step's own button handles the keys
        <div key={n} role="row" class="inner" onClick={onSelect}>
          <span
            role="cell"
            class="name"
            style={{ paddingLeft: `${20 + (visit.depth + depth) * 12}px` }}
            title={`${what}: ${name}`}
          >
            <span class="cut">{name}</span>
            {tag !== null && <span class={`tag ${piece === "failed" ? "fault" : ""}`}>{tag}</span>}
          </span>
          <span role="cell" class="track">
            <i class={piece} style={{ left: percent(fromUs), width: percent(tookUs) }} />
          </span>
          <span role="cell" class="number" title={`Begun ${duration(fromUs)} after the start`}>
            {duration(tookUs)}
          </span>
        </div>
      ))}
    </>
  );
}

/** Attributes of the rows of the selected step. */
export function InnerDetails({ visit: { inner = [] } }: { readonly visit: TraceNode }) {
  const told = inner.filter((row) => hasDetails(row));
  if (told.length === 0) return null;
  return (
    <section aria-label="Calls and spans">
      <h3>Calls and spans</h3>
      {told.map((row, n) => (
        <div key={n}>
          <p>
            {row.name} <span class="dim">{duration(row.duration_us)}</span>
          </p>
          {hasMembers(row.attributes) && <Json value={row.attributes} what={`attributes of ${row.name}`} />}
          {row.withheld.length > 0 && (
            <p class="dim">
              Only with <code>inspector.capture_payloads</code> full: {row.withheld.join(", ")}
            </p>
          )}
        </div>
      ))}
    </section>
  );
}

const hasDetails = ({ attributes, withheld }: InnerRow): boolean =>
  withheld.length > 0 || hasMembers(attributes);

const hasMembers = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;
