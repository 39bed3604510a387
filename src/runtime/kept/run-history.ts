// What happened to a run, by the entries of its log: without the values in them.

import type { RunEntry } from "#core/ports/run-store.js";
import { endedRun, type RunWait, type Woken } from "#core/ports/run-waits.js";

/** Times are in milliseconds since 1970. */
export interface RunEvent {
  readonly kind: RunEntry["kind"];
  readonly at: number;
  /** The node at which it begins, goes on, or waits. */
  readonly node?: string;
  /** Of "begun" and "resumed": the how many-th process has it. See {@link RunEpoch}. */
  readonly epoch?: number;
  /** Of "waiting". */
  readonly wait?: RunWait;
  /** Of "resumed", if it waited: `run` is that whose end woke it. */
  readonly woken?:
    | { readonly by: "time" }
    | { readonly by: "signal"; readonly name: string; readonly id: string; readonly actor?: string }
    | { readonly by: "run"; readonly runId: string };
}

/** Oldest first. */
export function historyIn(entries: readonly RunEntry[]): readonly RunEvent[] {
  let epoch = 0;
  return entries.map((entry) => {
    if (entry.kind === "begun") epoch = entry.epoch ?? 1;
    if (entry.kind === "resumed") epoch += 1;
    return {
      ...{ kind: entry.kind, at: entry.at },
      ...("node" in entry && { node: entry.node }),
      ...((entry.kind === "begun" || entry.kind === "resumed") && { epoch }),
      ...(entry.kind === "waiting" && { wait: waitIn(entry) }),
      ...(entry.kind === "resumed" && entry.woken && { woken: wokenBy(entry.woken) }),
    };
  });
}

function wokenBy(woken: Woken): NonNullable<RunEvent["woken"]> {
  if (woken.by === "time") return { by: "time" };
  const { name, id, actor } = woken;
  const runId = endedRun(name);
  if (runId !== undefined) return { by: "run", runId };
  return { by: "signal", name, id, ...(actor !== undefined && { actor }) };
}

/** Until when by the clock of the process that wrote it; the row of the run has the store's. */
export const waitIn = ({
  signals,
  due,
  inMs,
  at,
}: RunWait & { readonly at: number; readonly inMs?: number }): RunWait => {
  const until = due ?? (inMs === undefined ? undefined : at + inMs);
  return { ...(signals && { signals }), ...(until !== undefined && { due: until }) };
};
