// Deletes ended runs that are older than they are retained: those of Axons that say for how long by
// themselves, then all others.

import type { RunChoice } from "#core/ports/run-list.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { KeptAxon } from "./abandoned-runs.js";

const DAY_MS = 86_400_000;
const AT_ONCE = 1000;

interface Forgetting {
  readonly stores: readonly RunStore[];
  readonly axons: readonly KeptAxon[];
  /** For runs whose Axon does not say. */
  readonly retainMs: number;
  readonly isStopping: () => boolean;
}

export async function forgetEnded({ stores, axons, retainMs, isStopping }: Forgetting): Promise<void> {
  for (const store of stores) {
    const own = axons.filter(({ persistence: of }) => of.store === store && of.retain !== undefined);
    for (const { name, persistence } of own)
      for (const [outcome, days] of [
        ["completed", persistence.retain?.endedDays],
        ["failed", persistence.retain?.failedDays],
      ] as const)
        await forget(store, days === undefined ? retainMs : days * DAY_MS, { axons: [name], outcome });
    await forget(store, retainMs, own.length === 0 ? {} : { not: own.map(({ name }) => name) });
  }

  async function forget(store: RunStore, ageMs: number, which: RunChoice): Promise<void> {
    const before = Date.now() - ageMs;
    while (!isStopping() && Number(await store.forget(before, AT_ONCE, ageMs, which)) >= AT_ONCE);
  }
}
