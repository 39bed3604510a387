import type { FeedEvent, FeedRequest } from "../api/events.js";
import { isSelected, type RunFilter } from "../api/run-filter.js";
import type { TraceRow } from "../api/traces.js";
import { placeOf } from "./event-place.js";
import { isOfRun } from "./feed-ring.js";
import type { FiguresWanted } from "./figures.js";
import type { LostEvents } from "./lost-events.js";

export type SubscribeRequest = Extract<FeedRequest, { type: "subscribe" }>;
type Kind = FeedEvent["kind"];

/** The events that one client of the feed wants. */
export class Subscription {
  /** For `metrics`. */
  readonly figures: FiguresWanted;
  /** Whether it selects events of single runs. */
  readonly wantsRuns: boolean;
  readonly #circuits: ReadonlySet<string> | undefined;
  readonly #nodes: ReadonlySet<string> | undefined;
  readonly #kinds: ReadonlySet<string> | undefined;
  readonly #minUs: number;
  readonly #faultsOnly: boolean;
  readonly #ended: RunFilter;

  constructor(request: Omit<SubscribeRequest, "type" | "after"> = {}) {
    const { circuits, nodes, kinds, node_metrics_of: of, min_duration_us = 0, faults_only = false } = request;
    this.#circuits = circuits && new Set(circuits);
    this.#nodes = nodes && new Set(nodes);
    this.#kinds = kinds && new Set(kinds);
    this.wantsRuns = kinds === undefined || kinds.some(isOfRun);
    this.figures = {
      circuits: this.#circuits,
      nodes: this.#nodes,
      nodesOf: of && new Set(of),
      key: JSON.stringify([circuits ?? null, nodes ?? null, of ?? null]),
    };
    this.#minUs = min_duration_us;
    this.#faultsOnly = faults_only;
    this.#ended = request;
  }

  wantsKind(kind: Kind): boolean {
    return this.#kinds === undefined ? kind !== "node_exit" : this.#kinds.has(kind);
  }

  wants(event: FeedEvent): boolean {
    if (!this.wantsKind(event.kind)) return false;
    // Read once: each read may look the run up.
    if (event.kind === "circuit_exit") return this.#wantsRun(event.run);
    const { circuit, node } = placeOf(event);
    const isFitting = event.kind !== "node_exit" || this.#wantsExit(event);
    return isFitting && this.#isOf(this.#circuits, circuit) && this.#isOf(this.#nodes, node);
  }

  /** How many of the lost events it may have wanted: their durations and outcomes are not known. */
  couldWant({ groups, unknown, isOfRuns }: LostEvents): number {
    const wanted = groups.filter(
      ({ kind, circuit, node }) =>
        this.wantsKind(kind) && this.#isOf(this.#circuits, circuit) && this.#isOf(this.#nodes, node),
    );
    const base = isOfRuns === true && !this.wantsRuns ? 0 : unknown;
    return wanted.reduce((sum, { count }) => sum + count, base);
  }

  /** Undefined: it was evicted. */
  #wantsRun(run: TraceRow | undefined): boolean {
    return (
      run !== undefined &&
      this.#isOf(this.#circuits, run.circuit) &&
      this.#isLongEnough(run.duration_us, run.status === "faulted" || run.status === "refused_input") &&
      isSelected(this.#ended, { ...run, httpStatus: run.request?.http_status })
    );
  }

  /** The response to a node's fault is not known when it exits. */
  #wantsExit({ duration_us, outcome }: Extract<FeedEvent, { kind: "node_exit" }>): boolean {
    const { outcome: wanted, http_status, code } = this.#ended;
    if (http_status !== undefined || code !== undefined) return false;
    const isFault = outcome === "fault";
    if (wanted !== undefined && isFault === (wanted === "completed")) return false;
    return this.#isLongEnough(duration_us, isFault);
  }

  /** An event of no circuit or node is for every client. */
  #isOf(wanted: ReadonlySet<string> | undefined, name: string | null): boolean {
    return wanted === undefined || name === null || wanted.has(name);
  }

  #isLongEnough(durationUs: number, isFaulted: boolean): boolean {
    return durationUs >= this.#minUs && (!this.#faultsOnly || isFaulted);
  }
}
