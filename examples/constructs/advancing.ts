// A queue that keeps its jobs itself advances a kept Axon: one entry a delivery.

import { Axon, type LogEntry, Stores, transition } from "framework";

const reserve = transition({ name: "reserve", run: (lorry: string) => ({ lorry, lane: 4 }) });

const boarding = Axon.start<string>("boarding")
  .withPersistenceStore(Stores.mounted)
  .thenCompensated(reserve, () => {})
  .sleep("open the gate", 60_000)
  .thenFn("board", ({ lorry, lane }) => `${lorry} boards by lane ${lane}`);

/** A job of the queue: JSON. */
export interface Job {
  readonly id: string;
  readonly lorry: string;
  readonly log: readonly LogEntry[];
  /** True once the time for which the queue held the job back is over. */
  readonly isRested?: boolean;
}

/** What the queue does with the job next. It delivers a job again whose handler threw. */
export type Next =
  | { readonly kind: "again"; readonly job: Job; readonly afterMs: number }
  | { readonly kind: "done"; readonly outcome: unknown };

export async function delivered(job: Job): Promise<Next> {
  const { id: runId, lorry: input, log, isRested } = job;
  const { entries, over, waits, stuck } = await boarding.advance(log, {
    ...{ runId, input },
    ...(isRested && { woken: { by: "time" } }),
  });
  if (stuck !== undefined) throw new Error(`Job ${runId} cannot go on: ${stuck.reason}`);
  if (over !== undefined) return { kind: "done", outcome: over.outcome };
  const next = { ...job, log: [...log, ...entries], isRested: waits !== undefined };
  return { kind: "again", job: next, afterMs: waits?.inMs ?? 0 };
}
