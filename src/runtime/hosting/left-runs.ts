// Counts the unfinished runs of each store, and reports abandoned ones that no code of this process can
// resume: after a change of version without a migration they would wait for ever. So would those of a
// service that is gone.

import type { Reporter } from "#core/bus/reporter.js";
import type { HostLease, RunCount, RunStore } from "#core/ports/run-store.js";
import { type KeptAxon, versionsOf } from "./abandoned-runs.js";

export interface LeftRunsOptions {
  readonly axons: readonly KeptAxon[];
  readonly stores: readonly RunStore[];
  readonly release: () => string;
  readonly reporter: Reporter;
}

/** Unfinished runs of a version that is not the one served. */
export interface DrainingRuns {
  readonly axon: string;
  readonly version: string;
  readonly way: "migrates" | "old code" | "unfit";
  readonly count: number;
}

export class LeftRuns {
  readonly #of: LeftRunsOptions;
  /** Of this service, by Axon, version and state, as last counted. Abandoned runs without code are "unfit". */
  counts: readonly RunCount[] = [];

  constructor(of: LeftRunsOptions) {
    this.#of = of;
  }

  /** Those of versions that this process does not serve, and what becomes of them here. */
  get draining(): readonly DrainingRuns[] {
    const { axons } = this.#of;
    return this.counts.flatMap(({ axon: name, version, state, count }) => {
      const axon = axons.find((one) => one.name === name);
      if (axon?.version === version) return [];
      return [{ axon: name, version, way: state === "unfit" ? "unfit" : wayFrom(axon, version), count }];
    });
  }

  async count(): Promise<void> {
    const counts = (await Promise.all(this.#of.stores.map((store) => this.#countIn(store)))).flat();
    for (const found of counts.filter(({ service }) => service !== undefined))
      this.#report(found, `no process of service '${found.service}' is there: start one, or cancel them`);
    this.counts = counts.filter(({ service }) => service === undefined);
  }

  async #countIn(store: RunStore): Promise<readonly RunCount[]> {
    const { release, axons } = this.#of;
    const counts = (await store.counted?.(release())) ?? [];
    const hosts = counts.some(isWaiting) ? await store.hosts?.() : undefined;
    return counts.flatMap((found) => {
      const { state, count, abandoned, service } = found;
      if (service !== undefined || (state !== "running" && !isWaiting(found))) return [found];
      const left = isWaiting(found) ? count : abandoned;
      const why = isWaiting(found) ? whyLeftWaiting(axons, found, hosts) : left > 0 && whyLeft(axons, found);
      if (!why) return [found];
      this.#report(found, why);
      const unfit: RunCount = { ...found, state: "unfit", count: left };
      return count === left ? [unfit] : [unfit, { ...found, count: count - left, abandoned: 0 }];
    });
  }

  #report(found: RunCount, why: string): void {
    const { axon, version, state, count, abandoned } = found;
    const runs = isWaiting(found) ? `${count} ${state}` : `${abandoned} abandoned`;
    const message = `${runs} runs of '${axon}' ${version} are left: ${why}`;
    this.#of.reporter({ code: "RUNS_LEFT", message, axon });
  }
}

/** Of a version with several migrations the code that is needed for some of its runs counts. */
function wayFrom(axon: KeptAxon | undefined, version: string): DrainingRuns["way"] {
  const strategies = axon?.persistence.migrations.filter(({ from }) => from === version) ?? [];
  const kinds = strategies.map(({ strategy }) => strategy.kind);
  if (kinds.includes("complete-on-old-version")) return "old code";
  return kinds.some((kind) => kind !== "fail") ? "migrates" : "unfit";
}

const isWaiting = ({ state }: RunCount): boolean => state === "waiting" || state === "sleeping";

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

/**
 * The same of a run that waits. It has no host: any living one may resume it when it is due. One with
 * another version of its Axon than this process may have the migration that is missing here.
 */
export function whyLeftWaiting(
  axons: readonly KeptAxon[],
  run: Pick<RunCount, "axon" | "version">,
  hosts: readonly HostLease[] | undefined,
): string | undefined {
  const own = axons.find(({ name }) => name === run.axon)?.version;
  const mayFit = ({ isAlive, facts }: HostLease): boolean => {
    const version = facts !== undefined && Object.hasOwn(facts.axons, run.axon) && facts.axons[run.axon];
    return isAlive && typeof version === "string" && version !== own;
  };
  return hosts === undefined || hosts.some(mayFit) ? undefined : whyLeft(axons, run);
}
