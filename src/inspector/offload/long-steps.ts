// Which steps of this process hold the event loop for long. A run pays nothing for it: what is
// read here is counted as runs are recorded (runtime/counters.ts).

import { BLOCKED_FROM_MS } from "#core/loop-limits.js";
import type { Recorder, WatchedCircuit } from "#core/recorder.js";
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
  readonly longest_us: number;
}

/** What sending jobs to the pool has taken of the loop's time. */
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
      sent: { calls: sumOf(inThreads, "calls"), sum_us: sumOf(inThreads, "sum_us") },
    };
  }

  #stepsOf({ name: circuit, nodes, counts }: WatchedCircuit): readonly HeldLoop[] {
    const { calls, sumUs, long, longestUs } = counts.synchronous;
    return nodes.flatMap(({ id: node, label }, at) => {
      if (!STEPS.has(this.#nodes.of(circuit, node).kind)) return [];
      const [sum_us, long_calls, longest_us] = [sumUs, long, longestUs].map((of) => of[at] as number);
      return [{ circuit, node, label, calls: calls[at], sum_us, long_calls, longest_us } as HeldLoop];
    });
  }
}

const isLong = ({ calls, long_calls, longest_us }: HeldLoop): boolean =>
  longest_us >= BLOCKED_FROM_MS * 1000 || (calls >= ENOUGH_CALLS && long_calls > calls * P95_BEYOND);

const sumOf = (steps: readonly HeldLoop[], name: "calls" | "sum_us"): number =>
  steps.reduce((sum, step) => sum + step[name], 0);

/** What is of the same step becomes one. */
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
  longest_us: Math.max(a.longest_us, b.longest_us),
});
