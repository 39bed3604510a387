// Counts the unfinished runs of each store, and reports abandoned ones that no code of this process can
// resume: after a change of version without a migration they would wait for ever. So would those of a
// service that is gone.

import type { Reporter } from "#core/bus/reporter.js";
import type { RunCount, RunStore } from "#core/ports/run-store.js";
import { type KeptAxon, versionsOf } from "./abandoned-runs.js";

export interface LeftRunsOptions {
  readonly axons: readonly KeptAxon[];
  readonly stores: readonly RunStore[];
  readonly release: () => string;
  readonly reporter: Reporter;
}

export class LeftRuns {
  readonly #of: LeftRunsOptions;
  /** Of this service, by Axon, version and state, as last counted. Abandoned runs without code are "unfit". */
  counts: readonly RunCount[] = [];

  constructor(of: LeftRunsOptions) {
    this.#of = of;
  }

  async count(): Promise<void> {
    const { stores, release, axons } = this.#of;
    const counted = await Promise.all(stores.map(async (store) => (await store.counted?.(release())) ?? []));
    const counts = counted.flat();
    for (const found of counts.filter(({ service }) => service !== undefined))
      this.#report(found, `no process of service '${found.service}' is there: start one, or cancel them`);
    const own = counts.filter(({ service }) => service === undefined);
    this.counts = own.flatMap((found) => {
      const { state, count, abandoned } = found;
      const why = state === "running" && abandoned > 0 ? whyLeft(axons, found) : undefined;
      if (why === undefined) return [found];
      this.#report(found, why);
      const unfit: RunCount = { ...found, state: "unfit", count: abandoned };
      return count === abandoned ? [unfit] : [unfit, { ...found, count: count - abandoned, abandoned: 0 }];
    });
  }

  #report({ axon, version, abandoned }: RunCount, why: string): void {
    const message = `${abandoned} abandoned runs of '${axon}' ${version} are left: ${why}`;
    this.#of.reporter({ code: "RUNS_LEFT", message, axon });
  }
}

/** Why this process resumes no runs of an Axon and version; undefined if it does. */
export function whyLeft(
  axons: readonly KeptAxon[],
  { axon: name, version }: Pick<RunCount, "axon" | "version">,
): string | undefined {
  const axon = axons.find((one) => one.name === name);
  if (axon === undefined)
    return `no mounted Axon of that name keeps its runs here: mount it, or let the process that has it resume them`;
  if (versionsOf(axon).includes(version)) return undefined;
  return `no migration leads from '${version}' to '${axon.version}': add one, or cancel them`;
}
