// The port of those who watch: metrics, traces, the Inspector. An executor tells it
// what happens in the runs that it is asked to watch, and pays for no others.

import type { TraceContext } from "../facts/ingress-facts.js";
import type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";

export type WatchLevel =
  | { readonly kind: "off" }
  /** How often each node was entered and ended in a fault. */
  | { readonly kind: "counted" }
  /** The same, and every `every`th run traced. */
  | { readonly kind: "sampled"; readonly every: number }
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
  readonly synchronous: SynchronousTimes;
}

/**
 * How long nodes held the event loop: from entering one until it answered or returned a promise.
 * Of recorded runs, and not of nodes that stand around others. By the node's place in `nodes`.
 */
export interface SynchronousTimes {
  readonly calls: Float64Array;
  readonly sumUs: Float64Array;
  /** Calls of more than {@link LONG_CALL_US}. */
  readonly long: Float64Array;
  readonly longSumUs: Float64Array;
  /** Of all counted runs: of those that are not recorded what LOOP_BLOCKED says. */
  readonly longestUs: Float64Array;
}

export interface WatchedCircuit {
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly WatchedNode[];
  readonly counts: NodeCounts;
  /**
   * From the next run on. Those that run are recorded as they began. Where several watch it
   * each says who it is, and the closest level counts; a new one takes the place of its own.
   */
  readonly watch: (level: WatchLevel, by?: object) => void;
}

export interface TracedRequest {
  readonly method: string;
  /** As it came, still percent-encoded, without the query. For runs of a WebSocket's messages the route's pattern. */
  readonly path: string;
  /** The pattern of the route; undefined where none serves it. */
  readonly route: string | undefined;
  readonly requestId: string;
  /** Undefined where no step of the route asks for the trace. */
  readonly traceId: string | undefined;
}

export interface RunAnswer {
  /** 0 where the client went away before there was an answer. */
  readonly status: number;
  /** Of the body, as far as it was handed over. */
  readonly bytes: number;
  /** From the first look at the request where answers are observed, else from the beginning of its run. */
  readonly duration_us: number;
}

export type BusAccess = "read" | "write" | "delete";

/** One traced run. Who keeps something of it beyond its last call keeps that, and not the run, which holds its request. */
export interface TracedRun {
  readonly circuit: WatchedCircuit;
  /** Unique in the process. */
  readonly id: number;
  /** Unique among processes, fit for a URL. Made at its first read. */
  readonly runId: string;
  /** Undefined where the run is none of an ingress. Made at its first read, which must come before the run is `ended`. */
  readonly request: TracedRequest | undefined;
  /** To be read no later than in the last call of its run; what was read stays. */
  readonly timeline: Timeline;
  /** Whole microseconds since it began, by the clock of its Timeline. */
  readonly now_us: number;
  /** Ends the run as RUN_ABORTED: at once where it waits, else before its next step. Nothing where it is over. */
  readonly abort: (reason: unknown) => void;
}

/**
 * A node while it runs, or one of its tries, as a place in a trace. Times are whole microseconds
 * since the run began. None of it may throw.
 */
export interface NodeSpan {
  /** What is given to a step that reads TraceContext there. */
  readonly place: TraceContext;
  run<T>(call: () => T): T;
  /** The try that goes on has failed with this error, and another one comes after `delayMs`. */
  failed(attempt: number, delayMs: number, error: unknown, at_us: number): void;
  /** The try after it begins: what stands in it has the span that is answered. */
  tried(attempt: number, at_us: number): NodeSpan;
  /** The node was left for a branch: the ids of what is in that begin with `path`. */
  branched(branch: string, path: string, at_us: number): void;
  /**
   * A function of this name worked for the node in another thread. Times are those of
   * `performance.now()`; `code` is that of the pool's fault, where it ended the work.
   */
  worked(name: string, began: number, ended: number, code: string | undefined): void;
  /** The node was left, as `afterNode` has it. */
  left(outcome: NodeOutcome, answer: unknown, at_us: number): void;
}

/**
 * Told of traced runs. Must not throw: what it throws or rejects with is reported,
 * and the run goes on as if it had not been asked. What it has not costs a run nothing;
 * which calls it has is looked at when a run begins. Nodes are named by their ids in the Schematic.
 */
export interface Recorder {
  /** A circuit is mounted: where to ask for more or less. */
  readonly mounted?: (circuit: WatchedCircuit) => void;
  readonly begun?: (run: TracedRun) => void;
  /**
   * Before each node of a traced run. Answers the input to go on with, or a promise
   * of it, which holds the run there: a native `Promise` of this realm. Any other thenable,
   * and an input that is a promise itself, is what the run goes on with.
   */
  readonly beforeNode?: ((run: TracedRun, node: string, input: unknown) => unknown) | undefined;
  /**
   * A node was left: once for each `node_exit`, behind it. `outcome` is what the node
   * answered, settled: a value, a Fault, a Branch, a Jump, an Emit; for a step that threw
   * its TRANSITION_PANIC. Of a node that was left because what it stands around has ended,
   * it is that one's outcome.
   */
  readonly afterNode?: ((run: TracedRun, node: string, outcome: unknown) => void) | undefined;
  /**
   * A node has read (`get`, `find`), written or deleted a value of the Bus. What was read
   * may be undefined; of what was deleted it is. Asking with `has` is no read.
   */
  readonly busAccess?: (run: TracedRun, node: string, access: BusAccess, key: string, value: unknown) => void;
  /** Whether a run's Timeline notes what nodes do on the Bus, without values: it costs less than `busAccess`. */
  readonly notesAccesses?: boolean;
  /** Then, of which keys `busAccess` is told all the same. Default: all. */
  readonly accessesOf?: ReadonlySet<string>;
  /**
   * A node is entered, within another one or straight in the run's own line. What is answered is
   * told what becomes of it, and given back as `within`. Of several recorders one may have it.
   */
  readonly span?: (run: TracedRun, node: string, within: NodeSpan | undefined, at_us: number) => NodeSpan;
  /** Each event as it happens. */
  readonly event?: (run: TracedRun, event: TimelineEvent) => void;
  /** False where `event` is not told of `node_enter` and `node_exit`, which are most: then a node costs no call. Looked at when a run begins. */
  readonly visits?: boolean;
  /** The run is over: its outcome is what it answers. */
  readonly ended?: (run: TracedRun, outcome: unknown) => void;
  /**
   * The request of a run on an ingress is answered, or its client has gone: once, behind
   * `ended`. Of an answer in pieces when the last one is taken. Not for messages of a WebSocket.
   */
  readonly answered?: (run: TracedRun, answer: RunAnswer) => void;
}
