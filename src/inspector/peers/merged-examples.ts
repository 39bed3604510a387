import { Type } from "@sinclair/typebox";

import type { MaybePromise } from "#core/outcome-types.js";
import { best, type ExampleRun, examplesIn } from "../alerts/example-runs.js";
import type { ExamplesWanted } from "../alerts/rule-watch.js";
import type { TraceStore } from "../traces/trace-store.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

/** For each cause the runs that show it. */
type Examples = readonly (readonly ExampleRun[])[];

const EXAMPLES = subject<Examples>(
  "example runs",
  Type.Array(Type.Array(Type.Object({ run_id: Type.String(), weight: Type.Number() }))),
);

/** Runs of all processes that show what a rule has found; of this process alone where it has no peers. */
export class MergedExamples {
  readonly #own: TraceStore;
  readonly #peers: Peers | undefined;

  /** From here on this process answers what its peers ask of its runs. */
  constructor(own: TraceStore, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(EXAMPLES.about, (wanted) => this.#here(wanted as readonly ExamplesWanted[]));
  }

  /** Their ids: the newest that failed, or the slowest first. Who does not answer in time has none. */
  readonly of = (wanted: readonly ExamplesWanted[]): MaybePromise<readonly (readonly string[])[]> => {
    const own = this.#here(wanted);
    const others = this.#peers?.askAll(EXAMPLES, wanted, { steers: true });
    if (others === undefined) return own.map(idsOf);
    return others.then(({ answers }) => {
      const all = [own, ...answers.map(({ value }) => value)];
      return wanted.map((_, at) => idsOf(best(all.flatMap((one) => one[at] ?? []))));
    });
  };

  #here(wanted: readonly ExamplesWanted[]): Examples {
    return wanted.map((one) => examplesIn(this.#own, one));
  }
}

const idsOf = (runs: readonly ExampleRun[]): readonly string[] => runs.map(({ run_id }) => run_id);
