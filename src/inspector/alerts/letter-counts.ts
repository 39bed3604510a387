import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import type { TimelineEvent } from "#core/timeline/timeline.js";

/** The alert of a node's dead letters ends once no letter arrived for this long. */
const QUIET_MS = 600_000;
const MAX_RUN_IDS = 5;

/** Dead letters that a node left without a pause of ten minutes. */
export interface LetterCount {
  readonly circuit: string;
  readonly node: string;
  readonly label: string;
  readonly count: number;
  readonly last_at: number;
  /** The newest first, five at most. */
  readonly run_ids: readonly string[];
}

export interface LetterCountsOptions {
  /** True if the run re-drives this letter at this node: it is not counted again. */
  readonly isLetterAgain?: (run: TracedRun, node: string) => boolean;
  /** Milliseconds since 1970. */
  readonly wallClock?: () => number;
}

/** Counts the dead letters of traced runs by their node. */
export class LetterCounts implements Recorder {
  readonly visits = false;
  readonly #isLetterAgain: (run: TracedRun, node: string) => boolean;
  readonly #wallClock: () => number;
  /** At most one for each node of the program. */
  readonly #byNode = new Map<string, LetterCount>();

  constructor({ isLetterAgain = () => false, wallClock = Date.now }: LetterCountsOptions = {}) {
    this.#isLetterAgain = isLetterAgain;
    this.#wallClock = wallClock;
  }

  readonly event = (run: TracedRun, event: TimelineEvent): void => {
    if (event.kind !== "dlq_exhausted" || this.#isLetterAgain(run, event.node)) return;
    const { node } = event;
    const { name, nodes } = run.circuit;
    const now = this.#wallClock();
    const before = this.#byNode.get(node);
    const known = before !== undefined && now - before.last_at < QUIET_MS ? before : undefined;
    this.#byNode.set(node, {
      circuit: name,
      node,
      label: nodes.find(({ id }) => id === node)?.label ?? node,
      count: (known?.count ?? 0) + 1,
      last_at: now,
      run_ids: [run.runId, ...(known?.run_ids ?? [])].slice(0, MAX_RUN_IDS),
    });
  };

  /** Those of the last ten minutes. */
  list(): readonly LetterCount[] {
    const now = this.#wallClock();
    return [...this.#byNode.values()].filter(({ last_at }) => now - last_at < QUIET_MS);
  }
}
