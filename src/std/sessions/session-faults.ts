import type { SessionFound } from "#core/ports/session-store.js";
import { SessionFault, type StoreUnavailable } from "../faults.js";

export type MadeFault = SessionFault<
  "SESSIONS_FULL" | "SESSION_DATA_TOO_LARGE" | "SESSION_STORE_UNAVAILABLE"
>;
export type MovedFault = SessionFault<
  "SESSION_CONFLICT" | "SESSION_DATA_TOO_LARGE" | "SESSION_STORE_UNAVAILABLE"
>;
export type EndedFault = SessionFault<"SESSION_CONFLICT" | "SESSION_STORE_UNAVAILABLE">;

/** A session to be ended is still live under the id that replaced it. */
export const conflictIn = (found: SessionFound | StoreUnavailable): EndedFault | undefined => {
  if (found instanceof SessionFault) return found;
  return found.kind === "replaced" ? new SessionFault("SESSION_CONFLICT") : undefined;
};
