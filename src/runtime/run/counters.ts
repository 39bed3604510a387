// Counts of counted runs, and the clock that detects steps that block the event loop.

import type { Reporter } from "#core/bus/reporter.js";
import { BLOCKED_FROM_MS, LONG_CALL_US } from "#core/loop-limits.js";
import type { NodeCounts, SynchronousTimes, WatchedNode } from "#core/timeline/recorder.js";

const TICK_MS = 10;

const TICKER = `
const { workerData } = require("node:worker_threads");
const time = new Int32Array(workerData);
const never = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  Atomics.store(time, 0, performance.now());
  Atomics.wait(never, 0, 0, ${TICK_MS});
}`;

export type CoarseClock = { readonly 0: number };

let time: Int32Array | undefined;

/** Costs one load to read; performance.now() takes 43 ns. A thread writes it, started by the first Axon that counts. */
export function coarseClock(): CoarseClock {
  if (time === undefined) {
    const shared = new SharedArrayBuffer(4);
    time = new Int32Array(shared);
    startTicker(shared);
  }
  return time as unknown as CoarseClock;
}

/** If no thread can be started, the clock stands still and no block is reported. */
function startTicker(shared: SharedArrayBuffer): void {
  try {
    // Without the program's own loaders: they would run in the thread too.
    const { Worker } = process.getBuiltinModule("node:worker_threads");
    const ticker = new Worker(TICKER, { eval: true, workerData: shared, execArgv: [], env: {} });
    ticker.on("error", () => {}).unref();
  } catch {
    // Node's permission model throws here; it does not emit an event.
  }
}

let named = 0;

/** Number of reports of a blocked event loop that named a step in this process. */
export const namedBlocks = (): number => named;

const waits: (() => number)[] = [];

/** Adds a way to read how long the thread has waited for a core in this turn of its loop. Returns a function that removes it. */
export function excuseWaits(read: () => number): () => void {
  waits.push(read);
  return () => void waits.splice(waits.indexOf(read), 1);
}

/** Counts of one Axon, by node number. */
export class Counters implements NodeCounts {
  readonly runs = { begun: 0, refused: 0, failed: 0 };
  readonly entered: Float64Array;
  readonly faulted: Float64Array;
  readonly synchronous: SynchronousTimes;
  readonly clock: CoarseClock;
  readonly #axon: string;
  readonly #nodes: readonly WatchedNode[];
  readonly #reporter: Reporter;

  constructor(axon: string, nodes: readonly WatchedNode[], clock: CoarseClock, reporter: Reporter) {
    this.entered = new Float64Array(nodes.length);
    this.faulted = new Float64Array(nodes.length);
    const times = () => new Float64Array(nodes.length);
    this.synchronous = {
      ...{ calls: times(), sumUs: times() },
      ...{ long: times(), longSumUs: times(), longestUs: times() },
    };
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

  /** A node of a recorded run returned a value or a promise, `us` microseconds after it was entered. */
  took(node: number, us: number): void {
    const { calls, sumUs } = this.synchronous;
    calls[node] = (calls[node] as number) + 1;
    sumUs[node] = (sumUs[node] as number) + us;
    if (us > LONG_CALL_US) this.long(node, us);
  }

  /** The call took longer than LONG_CALL_US. */
  long(node: number, us: number): void {
    const { long, longSumUs } = this.synchronous;
    long[node] = (long[node] as number) + 1;
    longSumUs[node] = (longSumUs[node] as number) + us;
    this.#longest(node, us);
  }

  #longest(node: number, us: number): void {
    const { longestUs } = this.synchronous;
    if (us > (longestUs[node] as number)) longestUs[node] = us;
  }

  /** A synchronous part of a node that began at `since` has ended: reports it if it blocked the event loop. */
  hold(node: number, since: number): void {
    const elapsed = this.clock[0] - since;
    // At 0 the clock has not started.
    if (since === 0 || elapsed < BLOCKED_FROM_MS) return;
    const ms = Math.round(elapsed - (waits[0]?.() ?? 0));
    if (ms < BLOCKED_FROM_MS) return;
    this.#longest(node, ms * 1000);
    const label = this.#nodes[node]?.label ?? "";
    named += 1;
    const message = `Step '${label}' of '${this.#axon}' held the event loop for ${ms} ms, in what it does before it returns or first awaits: offload what it computes, docs/offload.md says how`;
    this.#reporter({ code: "LOOP_BLOCKED", message, axon: this.#axon, step: label });
  }
}
