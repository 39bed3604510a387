import { isFault } from "#core/bus/outcome.js";
import type { TraceStore } from "../traces/trace-store.js";

const MAX_EXAMPLES = 5;

export interface FailedRun {
  readonly run_id: string;
  readonly ended_at: number;
}

/** Kept runs of a circuit that ended in an error of the server, the newest first, five at most. */
export function failedRunsIn(store: TraceStore, circuit: string): readonly FailedRun[] {
  const page = store.query({ circuit, outcome: "error", limit: MAX_EXAMPLES });
  if (isFault(page)) return [];
  return newest(
    page.traces.map(({ run_id, started_at, duration_us }) => ({
      run_id,
      ended_at: started_at + duration_us / 1000,
    })),
  );
}

export const newest = (runs: readonly FailedRun[]): readonly FailedRun[] =>
  [...runs].sort((one, other) => other.ended_at - one.ended_at).slice(0, MAX_EXAMPLES);
