import { isFault } from "#core/outcome.js";
import type { TraceRow } from "../api/traces.js";
import type { TraceStore } from "../traces/trace-store.js";
import type { ExamplesWanted } from "./rule-watch.js";

const MAX_EXAMPLES = 5;
/** Faults that are looked at: most are refusals. */
const MAX_FAULTS = 200;

/** A run that shows a cause, and how well: the greatest first. */
export interface ExampleRun {
  readonly run_id: string;
  readonly weight: number;
}

/** Of the runs that this process keeps. */
export function examplesIn(store: TraceStore, { circuit, node, of }: ExamplesWanted): readonly ExampleRun[] {
  const page = store.query({
    circuit,
    ...(node !== undefined && { node }),
    ...(of === "failed"
      ? { status: "faulted", limit: MAX_FAULTS }
      : { order: "slowest", limit: MAX_EXAMPLES }),
  });
  if (isFault(page)) return [];
  const shown = page.traces.filter((row) => of === "slowest" || isError(row));
  const weightOf = ({ started_at, duration_us }: TraceRow): number =>
    of === "slowest" ? duration_us : started_at + duration_us / 1000;
  return best(shown.map((row) => ({ run_id: row.run_id, weight: weightOf(row) })));
}

export const best = (runs: readonly ExampleRun[]): readonly ExampleRun[] =>
  [...runs].sort((one, other) => other.weight - one.weight).slice(0, MAX_EXAMPLES);

/** A refusal is no error. */
const isError = ({ request }: TraceRow): boolean => (request?.http_status ?? 500) >= 500;
