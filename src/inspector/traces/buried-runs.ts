// Of runs that have left dead letters, what was masked of their values: of the last of them.
//
//   BR1. A run is known by its id. By when it began only a letter is looked up that names no
//        run, and nothing is found where several of its circuit began in that millisecond:
//        what one has masked says nothing of another's secrets.

import type { DeadLetter } from "#core/dead-letter.js";
import type { TracedRun } from "#core/recorder.js";
import type { HiddenTexts } from "#schema/hidden-texts.js";

const MAX_RUNS = 1000;

/** What says which run has left a letter. */
type Left = Pick<DeadLetter, "run_id" | "axon" | "timeline">;

export interface Buried {
  readonly hidden: HiddenTexts;
  /** Whether that is all that its run would have to hide. */
  readonly isAll: boolean;
}

export class BuriedRuns {
  readonly #runs = new Map<string, Buried>();
  /** By when they began; undefined where several did. */
  readonly #begun = new Map<string, Buried | undefined>();

  add({ runId, circuit, timeline }: TracedRun, buried: Buried): void {
    const begun = begunAt(circuit.name, timeline.started_at);
    keep(this.#runs, runId, buried);
    keep(this.#begun, begun, this.#begun.has(begun) ? undefined : buried);
  }

  /** What may be shown of a letter goes without this; undefined where nothing is known of its run. */
  hiddenOf({ run_id, axon, timeline }: Left): HiddenTexts | undefined {
    if (run_id !== undefined) return this.#runs.get(run_id)?.hidden;
    return timeline && this.#begun.get(begunAt(axon, timeline.started_at))?.hidden;
  }

  /** Whether all that its run has masked is known: without that nothing is shown of a run that goes on from it. */
  knowsAll({ run_id }: Pick<DeadLetter, "run_id">): boolean {
    return run_id !== undefined && this.#runs.get(run_id)?.isAll === true;
  }
}

const begunAt = (circuit: string, startedAt: number): string => `${startedAt} ${circuit}`;

function keep<T>(all: Map<string, T>, key: string, value: T): void {
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > MAX_RUNS) all.delete(oldest as string);
}
