// State and end of a run for polls, which must not cost what the whole log costs.

import type { RunPosition, RunStore } from "#core/ports/run-store.js";
import type { RunWait } from "#core/ports/run-waits.js";
import { endIn, type RunLog, readLog, requireEntry } from "./run-log.js";

/** Without `withBegun` what is of the beginning may be missing. */
export interface RunSummary extends Pick<RunLog, "axon" | "isStuck" | "end" | "fingerprint"> {
  readonly subject?: string | undefined;
  readonly start?: Pick<RunPosition, "input"> | undefined;
  readonly version?: string | undefined;
  /** Why a release could not resume it. */
  readonly unfit?: string | undefined;
  readonly wait?: RunWait | undefined;
}

/** Undefined for an unknown run. Throws where what was read is damaged. */
export async function readSummary(
  store: RunStore,
  id: string,
  withBegun: boolean,
): Promise<RunSummary | undefined> {
  if (store.glance === undefined) return readLog(await store.read(id));
  const glance = await store.glance(id, withBegun);
  if (glance === undefined) return undefined;
  const { axon, version, unfit, state, wait, end, begun } = glance;
  if (typeof axon !== "string") throw new TypeError(`A store that knows no Axon of run '${id}'`);
  const start = withBegun ? requireEntry("begun", begun) : undefined;
  return {
    ...{ axon, version, unfit, wait, isStuck: state === "stuck" },
    end: state === "ended" ? endIn(requireEntry("ended", end)) : undefined,
    ...{ start, subject: start?.subject, fingerprint: start?.fingerprint },
  };
}
