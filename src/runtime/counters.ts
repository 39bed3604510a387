import type { NodeCounts, WatchedNode } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { CoarseClock } from "./coarse-clock.js";

/** A synchronous step that takes longer holds up every other request. */
const BLOCKED_FROM_MS = 50;

/** What counted runs count, by the numbers of nodes. */
export class Counters implements NodeCounts {
  readonly entered: Float64Array;
  readonly faulted: Float64Array;
  readonly clock: CoarseClock;
  readonly #axon: string;
  readonly #nodes: readonly WatchedNode[];
  readonly #reporter: Reporter;

  constructor(axon: string, nodes: readonly WatchedNode[], clock: CoarseClock, reporter: Reporter) {
    this.entered = new Float64Array(nodes.length);
    this.faulted = new Float64Array(nodes.length);
    this.clock = clock;
    this.#axon = axon;
    this.#nodes = nodes;
    this.#reporter = reporter;
  }

  enter(node: number): void {
    this.entered[node] = (this.entered[node] as number) + 1;
  }

  failed(node: number): void {
    this.faulted[node] = (this.faulted[node] as number) + 1;
  }

  /** A synchronous piece of a node is over that began at `since`: reports one that held the event loop. */
  hold(node: number, since: number): void {
    const ms = this.clock[0] - since;
    // At 0 the clock had not begun to tick.
    if (since === 0 || ms < BLOCKED_FROM_MS) return;
    const label = this.#nodes[node]?.label ?? "";
    const message = `Step '${label}' of '${this.#axon}' held the event loop for ${ms} ms: answer a promise, or run it in a worker`;
    this.#reporter({ code: "LOOP_BLOCKED", message, axon: this.#axon, step: label });
  }
}
