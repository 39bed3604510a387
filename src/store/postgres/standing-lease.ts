import type { StandingLease, StandingLeaseOptions } from "#core/ports/run-store.js";
import { newSigns, startThread } from "../threads/start-thread.js";
import type { LeaseThreadData } from "./lease-thread.js";

/** Begins a thread that extends the lease. Its failure ends nothing but the thread. */
export function standingLease(
  data: Omit<LeaseThreadData, "beats" | "resolveFrom">,
  everyMs: number,
  { maxSilenceMs, failed }: StandingLeaseOptions,
): StandingLease {
  const signs = newSigns();
  const beats = { signs, everyMs, maxSilenceMs };
  const own: LeaseThreadData = { ...data, beats, resolveFrom: import.meta.url };
  const thread = startThread("#store/postgres/lease-thread.js", own);
  thread.unref();
  thread.on("error", failed);
  return {
    sign: () => void Atomics.add(signs, 0, 1),
    end: async () => void (await thread.terminate()),
  };
}
