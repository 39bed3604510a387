// Finds steps of this process that hold the event loop for long. It adds no cost to a run: it reads
// counters that recorded runs update anyway (runtime/counters.ts).

import { BLOCKED_FROM_MS } from "#core/loop-limits.js";
import type { Recorder, WatchedCircuit } from "#core/timeline/recorder.js";
import type { DrawnNodes } from "../traces/drawn-nodes.js";

/** Calls that a p95 needs. */
const ENOUGH_CALLS = 20;
const P95_BEYOND = 0.05;
/** Guards, layers and the ends of a circuit cannot be offloaded. */
const STEPS: ReadonlySet<string> = new Set(["Atom", "Synapse"]);

/** Since the start, of one step. */
export interface HeldLoop {
  readonly circuit: string;
  readonly node: string;
  readonly label: string;
  readonly calls: number;
  readonly sum_us: number;
  readonly long_calls: number;
  readonly long_sum_us: number;
  readonly longest_us: number;
}

/** Jobs as they usually are, and what sending them has taken of the loop's time. */
export interface SentJobs {
  readonly calls: number;
  readonly sum_us: number;
}

export interface LoopTimes {
  readonly steps: readonly HeldLoop[];
  readonly sent: SentJobs;
}

type Drawn = Pick<DrawnNodes, "of" | "isOffloaded">;

export class LongSteps implements Recorder {
  readonly #nodes: Drawn;
  readonly #circuits: WatchedCircuit[] = [];

  constructor(nodes: Drawn) {
    this.#nodes = nodes;
  }

  readonly mounted = (circuit: WatchedCircuit): void => {
    this.#circuits.push(circuit);
  };

  /** Steps of which a call took 50 ms or more, or more than 5 % of them longer than 1 ms. */
  read(): LoopTimes {
    const all = addedUp(this.#circuits.flatMap((circuit) => this.#stepsOf(circuit)));
    const inThreads = all.filter(({ circuit, node }) => this.#nodes.isOffloaded(circuit, node));
    return {
      steps: all.filter((step) => isLong(step) && !inThreads.includes(step)),
      sent: inThreads.map(usual).reduce(sumOfJobs, { calls: 0, sum_us: 0 }),
    };
  }

  #stepsOf({ name: circuit, nodes, counts }: WatchedCircuit): readonly HeldLoop[] {
    const { calls, sumUs, long, longSumUs, longestUs } = counts.synchronous;
    return nodes.flatMap(({ id: node, label }, at) => {
      if (!STEPS.has(this.#nodes.of(circuit, node).kind)) return [];
      const figure = (of: Float64Array): number => of[at] as number;
      const step = { circuit, node, label, calls: figure(calls), sum_us: figure(sumUs) };
      const slow = { long_calls: figure(long), long_sum_us: figure(longSumUs) };
      return [{ ...step, ...slow, longest_us: figure(longestUs) }];
    });
  }
}

const isLong = ({ calls, long_calls, longest_us }: HeldLoop): boolean =>
  longest_us >= BLOCKED_FROM_MS * 1000 || (calls >= ENOUGH_CALLS && long_calls > calls * P95_BEYOND);

/**
 * Without the calls beyond 1 ms if they are the minority: the first call creates the pool, and
 * others were interrupted.
 */
const usual = ({ calls, sum_us, long_calls, long_sum_us }: HeldLoop): SentJobs =>
  long_calls * 2 > calls
    ? { calls: long_calls, sum_us: long_sum_us }
    : { calls: calls - long_calls, sum_us: sum_us - long_sum_us };

export const sumOfJobs = (a: SentJobs, b: SentJobs): SentJobs => ({
  calls: a.calls + b.calls,
  sum_us: a.sum_us + b.sum_us,
});

/** Merges the figures of equal steps. */
export function addedUp(steps: readonly HeldLoop[]): readonly HeldLoop[] {
  const byKey = new Map<string, HeldLoop>();
  for (const step of steps) {
    const key = JSON.stringify([step.circuit, step.node]);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? step : added(known, step));
  }
  return [...byKey.values()];
}

const added = (a: HeldLoop, b: HeldLoop): HeldLoop => ({
  ...a,
  calls: a.calls + b.calls,
  sum_us: a.sum_us + b.sum_us,
  long_calls: a.long_calls + b.long_calls,
  long_sum_us: a.long_sum_us + b.long_sum_us,
  longest_us: Math.max(a.longest_us, b.longest_us),
});
