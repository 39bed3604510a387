import type { RunStore } from "#core/ports/run-store.js";
import type { RunSummary } from "../kept/run-summary.js";
import { whyLeft } from "./left-runs.js";
import type { RunHost } from "./run-host.js";

/** What a process can resume. */
export type Hosted = Pick<RunHost, "axons" | "release">;

/**
 * Why the code of this process cannot resume a running run that is abandoned. Undefined if it can,
 * another process runs it, or the store cannot tell. Asks the store only where there is a sign of it.
 */
export async function unfitReason(
  { axons, release }: Hosted,
  store: RunStore,
  id: string,
  { axon, version, unfit }: Pick<RunSummary, "axon" | "version" | "unfit">,
): Promise<string | undefined> {
  const left = version === undefined ? undefined : whyLeft(axons, { axon, version });
  if (left === undefined && unfit === undefined) return undefined;
  const isListed = async (fields: { readonly release?: string }): Promise<boolean> =>
    (await store.unfinished({ id, abandoned: true, limit: 1, ...fields })).some((run) => run.id === id);
  if (!(await isListed({}))) return undefined;
  if (left !== undefined) return left;
  // Another release may have marked it, and this one not have looked at it yet.
  return (await isListed({ release })) ? undefined : unfit;
}
