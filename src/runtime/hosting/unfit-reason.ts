import type { RunFilter, RunStore } from "#core/ports/run-store.js";
import type { RunSummary } from "../kept/run-summary.js";
import { whyLeft, whyLeftWaiting } from "./left-runs.js";
import type { RunHost } from "./run-host.js";

/** What a process can resume. */
export type Hosted = Pick<RunHost, "axons" | "release">;

/**
 * Why the code of this process cannot resume a run that is abandoned, or waits. Undefined if it can,
 * another process runs it or may wake it, or the store cannot tell. Asks the store only where there is a sign of it.
 */
export async function unfitReason(
  { axons, release }: Hosted,
  store: RunStore,
  id: string,
  { axon, version, unfit, wait }: Pick<RunSummary, "axon" | "version" | "unfit" | "wait">,
): Promise<string | undefined> {
  const left = version === undefined ? undefined : whyLeft(axons, { axon, version });
  if (left === undefined && unfit === undefined) return undefined;
  const isListed = async (fields: RunFilter): Promise<boolean> =>
    (await store.unfinished({ id, limit: 1, ...fields })).some((run) => run.id === id);
  const abandoned = wait === undefined ? ({ abandoned: true } as const) : {};
  if (wait === undefined && !(await isListed(abandoned))) return undefined;
  if (left !== undefined && version !== undefined)
    return wait ? whyLeftWaiting(axons, { axon, version }, await store.hosts?.()) : left;
  // Another release may have marked it, and this one not have looked at it yet.
  return (await isListed({ ...abandoned, release })) ? undefined : unfit;
}
