import { Type } from "@sinclair/typebox";

import { type FailedRun, failedRunsIn, newest } from "../alerts/failed-runs.js";
import type { TraceStore } from "../traces/trace-store.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

/** For each requested circuit, the runs that show its errors. */
type Examples = readonly (readonly FailedRun[])[];

const EXAMPLES = subject<Examples>(
  "example runs",
  Type.Array(Type.Array(Type.Object({ run_id: Type.String(), ended_at: Type.Number() }))),
);

/** Runs of all processes that ended in an error. Without peers, those of this process. */
export class MergedExamples {
  readonly #own: TraceStore;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's runs. */
  constructor(own: TraceStore, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(EXAMPLES.about, (circuits) => this.#here(circuits as readonly string[]));
  }

  /** Run ids by circuit, the newest first, without those of silent workers. */
  async of(circuits: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const asked =
      circuits.length === 0 ? undefined : await this.#peers?.askAll(EXAMPLES, circuits, { steers: true });
    const all = [this.#here(circuits), ...(asked?.answers ?? []).map(({ value }) => value)];
    const runsOf = (at: number) => newest(all.flatMap((one) => one[at] ?? []));
    return new Map(circuits.map((circuit, at) => [circuit, runsOf(at).map(({ run_id }) => run_id)]));
  }

  #here(circuits: readonly string[]): Examples {
    return circuits.map((circuit) => failedRunsIn(this.#own, circuit));
  }
}
