// The worker's side: tells its supervisor how its start went, and stops when the
// supervisor says so, or is gone.

import { FrameworkError } from "#core/errors.js";
import { STOP, type WorkerMessage } from "./worker-mark.js";

const END_AFTER_MS = 2500;

/** A server as its supervisor rules it. */
export interface Ruled {
  /** Stops it. At once where nobody is left who would look elsewhere meanwhile. */
  stop(atOnce: boolean): Promise<void>;
  readonly closed: Promise<boolean>;
}

/** Ends this process with the server, when the supervisor says so or has died. */
export function followSupervisor(server: Ruled): void {
  const end = async (atOnce: boolean): Promise<void> => {
    await server.stop(atOnce);
    if (!(await server.closed)) process.exitCode = 1;
    process.exit();
  };
  process.on("message", (message: unknown) => {
    if ((message as Partial<typeof STOP> | null)?.framework === STOP.framework) void end(false);
  });
  process.once("disconnect", () => void end(true));
  // It may have died while this program was loaded.
  if (!process.connected) void end(true);
  // A program that closes its server itself ends as it would without a supervisor.
  void server.closed.then(() => process.channel?.unref());
}

export const tellReady = (): void => tell({ framework: "ready" });

/** Says why it cannot serve. Then it ends: by itself, as most programs whose `run` rejects do, or after a moment. */
export function tellFailed(error: unknown): void {
  setTimeout(() => process.exit(1), END_AFTER_MS).unref();
  const code = error instanceof FrameworkError ? error.code : "START_FAILED";
  tell({ framework: "failed", code, message: error instanceof Error ? error.message : String(error) });
}

/** A channel that has just closed tells nobody: then `disconnect` ends the process. */
function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
