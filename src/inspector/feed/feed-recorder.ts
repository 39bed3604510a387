// Tells the feed of runs: a consumer of the recorder port. While no client listens a run costs
// some tests and a node nothing; that is decided when the run begins.

import { isFault } from "#core/bus/outcome.js";
import type { Recorder, TracedRun } from "#core/timeline/recorder.js";
import type { TimelineEvent } from "#core/timeline/timeline.js";
import type { TraceRow } from "../api/traces.js";
import type { Feed } from "./feed.js";

type NodeExit = Extract<TimelineEvent, { kind: "node_exit" }>;

export interface FeedRecorderOptions {
  readonly feed: Feed;
  readonly labelOf: (run: TracedRun, node: string) => string;
  /** The kept run, by its number in this process. */
  readonly rowOf: (number: number) => TraceRow | undefined;
  readonly titleOf: (run: TracedRun, error: unknown) => string;
}

export class FeedRecorder implements Recorder {
  readonly #options: FeedRecorderOptions;
  /** A node that ended in a fault: the call with the fault follows at once. */
  #faulted: { readonly run: TracedRun; readonly event: NodeExit } | undefined;

  constructor(options: FeedRecorderOptions) {
    this.#options = options;
  }

  get visits(): boolean {
    return this.#options.feed.hearsNodes;
  }

  readonly event = (run: TracedRun, event: TimelineEvent): void => {
    const { feed } = this.#options;
    if (!feed.isHeard) return;
    if (event.kind === "emitted") {
      const { runId: run_id, circuit } = run;
      feed.tell({ kind: "event", run_id, circuit: circuit.name, node: event.node, name: event.event });
    } else if (event.kind === "node_exit" && feed.hearsNodes) {
      if (event.outcome === "fault") this.#faulted = { run, event };
      else this.#left(run, event, null);
    }
  };

  /** Undefined while no client wants single nodes: a node costs no call then. */
  get afterNode(): Recorder["afterNode"] {
    return this.#options.feed.hearsNodes ? this.#after : undefined;
  }

  readonly #after = (run: TracedRun, node: string, outcome: unknown): void => {
    const faulted = this.#faulted;
    if (faulted === undefined) return;
    this.#faulted = undefined;
    if (faulted.run === run && faulted.event.node === node)
      this.#left(run, faulted.event, isFault(outcome) ? this.#options.titleOf(run, outcome.error) : "");
  };

  /** The row is made when a client is sent it: by then the response has its status. */
  readonly ended = ({ id }: TracedRun): void => {
    const { feed, rowOf } = this.#options;
    if (feed.isHeard) feed.tellRun(() => rowOf(id));
  };

  #left(run: TracedRun, { node, outcome, duration_us }: NodeExit, fault: string | null): void {
    const label = this.#options.labelOf(run, node);
    const { runId: run_id, circuit } = run;
    this.#options.feed.tell({
      kind: "node_exit",
      run_id,
      circuit: circuit.name,
      node,
      label,
      outcome,
      duration_us,
      fault,
    });
  }
}
