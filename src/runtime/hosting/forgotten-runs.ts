// Deletes ended runs that are older than they are retained: those of Axons that say for how long by
// themselves, then all others. And one by hand.
//
//   FR1. A run by hand is deleted only if it has ended: a run that began under its id meanwhile stays.
//        The run that began it knows its end before.

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { AuditFailed } from "#core/bus/runtime-fault.js";
import type { RunChoice } from "#core/ports/run-list.js";
import type { RunStore } from "#core/ports/run-store.js";
import { readSummary } from "../kept/run-summary.js";
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

export type Forgotten = "forgotten" | "running" | "unknown";

/** `record` is called before, and not for a run that has not ended. */
export async function forgetRun(
  store: RunStore,
  id: string,
  {
    tellEnds,
    record,
  }: {
    readonly tellEnds: () => Promise<void> | undefined;
    readonly record: () => Promise<Fault<AuditFailed> | undefined>;
  },
): Promise<Forgotten | Fault<AuditFailed>> {
  const run = await readSummary(store, id, false);
  if (run === undefined) return "unknown";
  if (run.end === undefined) return "running";
  await tellEnds();
  const refused = await record();
  if (isFault(refused)) return refused;
  return (await store.remove(id, "ended")) ? "forgotten" : "unknown";
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
