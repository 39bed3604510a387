// The port of those who watch: metrics, traces, the Inspector. An executor tells it
// what happens in the runs that it is asked to watch, and pays for no others.

import type { Timeline, TimelineEvent } from "./timeline.js";

/** How closely the runs of a circuit are watched. */
export type WatchLevel =
  | { readonly kind: "off" }
  /** How often each node was entered and ended in a fault. */
  | { readonly kind: "counted" }
  /** The same, and every `every`th run traced. */
  | { readonly kind: "sampled"; readonly every: number }
  /** Every run traced. */
  | { readonly kind: "all" };

export interface WatchedNode {
  readonly id: string;
  readonly label: string;
}

/** Counts since the circuit was first watched. Live: read, never written. */
export interface NodeCounts {
  /** By the node's place in `nodes`. */
  readonly entered: Float64Array;
  readonly faulted: Float64Array;
}

/** An Axon that can be watched. */
export interface WatchedCircuit {
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly WatchedNode[];
  readonly counts: NodeCounts;
  /** From the next run on. Those that run are recorded as they began. */
  readonly watch: (level: WatchLevel) => void;
}

/** One traced run. */
export interface TracedRun {
  readonly circuit: WatchedCircuit;
  /** Unique in the process. */
  readonly id: number;
  readonly timeline: Timeline;
}

/**
 * Told of traced runs. Must not throw: what it throws or rejects with is reported,
 * and the run goes on as if it had not been asked.
 */
export interface Recorder {
  /** A circuit is mounted: where to ask for more or less. */
  readonly mounted?: (circuit: WatchedCircuit) => void;
  /**
   * Before each node of a traced run. Answers the input to go on with, or a promise
   * of it, which holds the run there.
   */
  readonly beforeNode?: (run: TracedRun, node: string, input: unknown) => unknown;
  /** Each event as it happens. */
  readonly event?: (run: TracedRun, event: TimelineEvent) => void;
  /** The run is over: its outcome is what it answers. */
  readonly ended?: (run: TracedRun, outcome: unknown) => void;
}
