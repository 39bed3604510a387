// The port of watchers: metrics, traces, the Inspector. An executor reports the runs that it
// must watch. Other runs cost nothing.

import type { RunLabels } from "../bus/label.js";
import type { Report } from "../bus/reporter.js";
import type { TraceContext } from "../facts/ingress-facts.js";
import type { InnerSpan, InnerStart } from "./inner-span.js";
import type { NodeOutcome, Timeline, TimelineEvent } from "./timeline.js";

export type WatchLevel =
  | { readonly kind: "off" }
  /** Counts entries and faults of each node. */
  | { readonly kind: "counted" }
  /** The same, and traces every `every`th run. */
  | { readonly kind: "sampled"; readonly every: number }
  | { readonly kind: "all" };

export interface WatchedNode {
  readonly id: string;
  readonly label: string;
}

/** Runs since the circuit was first watched, traced or not. */
export interface RunCounts {
  readonly begun: number;
  /** Of these, runs that entered no node, because their request was refused below 500. */
  readonly refused: number;
  /** The same, with 500 or above: too many requests, or a failure of the ingress. */
  readonly failed: number;
}

/** Counts since the circuit was first watched. Live and read-only. */
export interface NodeCounts {
  readonly runs: RunCounts;
  /** By the node's index in `nodes`. */
  readonly entered: Float64Array;
  readonly faulted: Float64Array;
  readonly synchronous: SynchronousTimes;
}

/**
 * Time that nodes blocked the event loop: from entry until they returned a result or a promise.
 * Only of recorded runs, and of nodes that contain no others. By the node's index in `nodes`.
 */
export interface SynchronousTimes {
  readonly calls: Float64Array;
  readonly sumUs: Float64Array;
  /** Calls longer than {@link LONG_CALL_US}. */
  readonly long: Float64Array;
  readonly longSumUs: Float64Array;
  /** Of all counted runs: for unrecorded runs from LOOP_BLOCKED. */
  readonly longestUs: Float64Array;
}

export interface WatchedCircuit {
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly WatchedNode[];
  readonly counts: NodeCounts;
  /**
   * Takes effect with the next run. Running ones keep their level. Each watcher passes itself as
   * `by`, and the most detailed level is used. A new level of a watcher replaces its old one.
   */
  readonly watch: (level: WatchLevel, by?: object) => void;
}

export interface TracedRequest {
  readonly method: string;
  /** As received: percent-encoded, without the query. For runs of a WebSocket's messages the route's pattern. */
  readonly path: string;
  /** Pattern of the route; undefined if no route matched. */
  readonly route: string | undefined;
  readonly requestId: string;
  /** Undefined if no step of the route reads the trace context. */
  readonly traceId: string | undefined;
}

/** `refused` was parsed and is against its schema, `malformed` did not parse, `unread` was not read as a whole. */
export type BodyState = "none" | "read" | "refused" | "malformed" | "unread";

/** What a route has fetched of a request, beside {@link TracedRequest}. Values are not redacted. */
export interface RequestParts {
  /** Empty for a malformed query. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Headers that the route reads, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why other headers are not here; "" if these are all. */
  readonly unreadHeaders: string;
  /** Undefined if it is unknown: behind a proxy no step reads it, or the connection is closed. */
  readonly clientAddress: string | undefined;
  readonly body: {
    readonly state: BodyState;
    readonly contentType: string;
    /** Bytes; -1 for chunks that were not read. */
    readonly length: number;
    /** The whole input of a `read` body, which steps may change; the parsed value of a `refused` one. */
    readonly value: unknown;
    /** Why it was not read, or where it is malformed: no text of the body. */
    readonly unread: string;
  };
}

/** A response as it was sent. Values are not redacted. */
export interface ResponseParts {
  readonly headers: Readonly<Record<string, string>>;
  /** The value of JSON, or the text. */
  readonly body: unknown;
  /** Why there is no body; "" if there is one. */
  readonly unread: string;
}

export interface RunAnswer {
  /** 0 if the client disconnected before the response. */
  readonly status: number;
  /** Bytes of the body that were handed over. */
  readonly bytes: number;
  /** From the arrival of the request if responses are observed, else from the start of its run. */
  readonly duration_us: number;
  /** Sent before the run ended: 202 of a detached run, or 504 of a time-out. Then it says nothing of the outcome. */
  readonly isEarly?: true;
  /** Of the problem document, or of `failure`. */
  readonly code?: string | undefined;
  /** The report of the failure in the log, such as that of an outcome that could not be sent. */
  readonly failure?: Pick<Report, "code" | "message" | "error">;
}

export type BusAccess = "read" | "write" | "delete";

/** One traced run. After its last call keep only the parts needed, not the run, which retains its request. */
export interface TracedRun {
  readonly circuit: WatchedCircuit;
  /** Unique in the process. */
  readonly id: number;
  /** Unique among processes and safe in a URL. Made at its first read. */
  readonly runId: string;
  /** Undefined for a run without an ingress. Made at its first read, which must be before `ended`. */
  readonly request: TracedRequest | undefined;
  /** Made at each read. Read it in `ended` alone: later its values are gone. Undefined as `request` is. */
  readonly requestParts?: RequestParts | undefined;
  /** The name of the run's verified identity. Read it in `ended` alone. */
  readonly identity?: string | undefined;
  /** Read it in `answered` alone; undefined without a response. */
  readonly responseParts?: ResponseParts | undefined;
  /** Read it at the latest in the last call of its run. The object read remains valid. */
  readonly timeline: Timeline;
  /** The labels that its steps have set so far; undefined for none. Read it at the latest in `ended`. */
  readonly labels?: RunLabels | undefined;
  /** Whole microseconds since its start, by the clock of its Timeline. */
  readonly now_us: number;
  /** Nodes before or after which the run waits for its log or a lock right now. Undefined for none. */
  readonly waitsAt?: readonly string[] | undefined;
  /** @internal Records work inside a node. Undefined once the run is over, or if there is too much. */
  readonly beginInner?: (node: string, start: InnerStart) => InnerSpan | undefined;
  /** Ends the run as RUN_ABORTED: at once if it is suspended, else before its next step. No effect on an ended run. */
  readonly abort: (reason: unknown) => void;
}

/**
 * A node, or one of its tries, as a span of a trace. Times are whole microseconds since the start
 * of the run. Its methods must not throw.
 */
export interface NodeSpan {
  /** The value of TraceContext for a step in this span; `given` is that of the run. */
  placeIn(given: TraceContext | undefined): TraceContext | undefined;
  run<T>(call: () => T): T;
  /** The current try failed with this error. The next one follows after `delayMs`. */
  failed(attempt: number, delayMs: number, error: unknown, at_us: number): void;
  /** The next try begins. The returned span is its span. */
  tried(attempt: number, at_us: number): NodeSpan;
  /** The node was left for a branch, with ids that begin with `path`. */
  branched(branch: string, path: string, at_us: number): void;
  /**
   * A function of this name ran for the node in another thread. Times are those of
   * `performance.now()`. `code` is the code of the pool's fault, if the fault ended the job.
   */
  worked(name: string, began: number, ended: number, code: string | undefined): void;
  /** The node was left. Arguments as for `afterNode`. */
  left(outcome: NodeOutcome, answer: unknown, at_us: number): void;
}

/**
 * Receives the events of traced runs. Must not throw: an error that it throws or rejects with is
 * reported, and the run continues as without the call. Omitted methods cost a run nothing. They
 * are read when a run begins. Nodes are named by their ids in the Schematic.
 */
export interface Recorder {
  /** A circuit is mounted. Use it to set the watch level. */
  readonly mounted?: (circuit: WatchedCircuit) => void;
  readonly begun?: (run: TracedRun) => void;
  /**
   * Called before each node of a traced run. Returns the input for the node, or a native `Promise`
   * of this realm, which suspends the run. Any other thenable, and an input that is a promise
   * itself, is passed to the node.
   */
  readonly beforeNode?: ((run: TracedRun, node: string, input: unknown) => unknown) | undefined;
  /**
   * Called when a node was left: once for each `node_exit`, after it. `outcome` is the settled
   * outcome of the node: a value, a Fault, a Branch, a Jump, an Emit; TRANSITION_PANIC if the step
   * threw. If a containing node ended this one, it is the outcome of the containing node.
   */
  readonly afterNode?: ((run: TracedRun, node: string, outcome: unknown) => void) | undefined;
  /**
   * A node has read (`get`, `find`), written or deleted a value of the Bus. `value` may be
   * undefined for a read and is undefined for a delete. A call of `has` is no read.
   */
  readonly busAccess?: (run: TracedRun, node: string, access: BusAccess, key: string, value: unknown) => void;
  /** True if a run's Timeline notes Bus accesses without values: cheaper than `busAccess`. */
  readonly notesAccesses?: boolean;
  /** With `notesAccesses`: keys for which `busAccess` is called too. Default: all. */
  readonly accessesOf?: ReadonlySet<string>;
  /**
   * A node is entered, inside another one or at the top level of the run. The returned span
   * receives its events, and is passed as `within`. If several recorders have this method, the last one gets the call.
   */
  readonly span?: (run: TracedRun, node: string, within: NodeSpan | undefined, at_us: number) => NodeSpan;
  /** Called for each event as it happens. */
  readonly event?: (run: TracedRun, event: TimelineEvent) => void;
  /** False if `event` skips `node_enter` and `node_exit`, the most frequent events. Read when a run begins. */
  readonly visits?: boolean;
  /** The run has ended with this outcome. */
  readonly ended?: (run: TracedRun, outcome: unknown) => void;
  /**
   * The response of a run on an ingress was sent, or its client disconnected: once, after
   * `ended`. For a streamed response when the last piece is taken. Not for WebSocket messages.
   */
  readonly answered?: (run: TracedRun, answer: RunAnswer) => void;
}
