// The look for abandoned runs that this process can resume.

import type { Reporter } from "#core/bus/reporter.js";
import type { RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import type { AxonDefinition } from "../definition/axon-definition.js";

export type KeptAxon = AxonDefinition & { readonly persistence: NonNullable<AxonDefinition["persistence"]> };

export interface AbandonedRunsOptions {
  readonly host: string;
  readonly axons: readonly KeptAxon[];
  readonly random: () => number;
  readonly reporter: Reporter;
}

/** Maximum number of unfinished runs read at once. Each host tries them in a different order. */
const PAGE = 200;
/** Maximum number of runs remembered as not resumable here, and not requested again. */
const MAX_UNFIT = 1000;

export class AbandonedRuns {
  readonly #of: AbandonedRunsOptions;
  readonly #unfit = new Set<string>();

  constructor(of: AbandonedRunsOptions) {
    this.#of = of;
  }

  /** In a random order, and at most a page of them. */
  async in(store: RunStore): Promise<readonly UnfinishedRun[]> {
    const { axons, host } = this.#of;
    const found = await store.unfinished({
      abandoned: true,
      axons: axons
        .filter(({ persistence }) => persistence.store === store)
        .map((axon) => ({ name: axon.name, versions: versionsOf(axon) })),
      limit: PAGE + this.#unfit.size,
    });
    // Its own are at work here, or lost: a lease that is over ends neither.
    return this.#shuffled(found.filter((run) => run.host !== host && !this.#unfit.has(run.id)));
  }

  /** This process cannot resume it; another release may. */
  leave(id: string, axon: string, error: unknown): void {
    if (this.#unfit.size < MAX_UNFIT) this.#unfit.add(id);
    const message = `Run '${id}' was abandoned, and could not be resumed`;
    this.#of.reporter({ code: "RUN_UNRESUMED", message, axon, error });
  }

  #shuffled(runs: readonly UnfinishedRun[]): readonly UnfinishedRun[] {
    const keyed = runs.map((run) => [this.#of.random(), run] as const);
    return keyed.sort(([a], [b]) => a - b).map(([, run]) => run);
  }
}

/** The versions that began runs which this Axon can resume. */
const versionsOf = ({ version, persistence }: KeptAxon): readonly string[] => [
  version,
  ...persistence.migrations.map(({ from }) => from),
];
