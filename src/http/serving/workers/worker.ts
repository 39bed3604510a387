// The worker's side: reports the result of its start to the supervisor, and stops on its message or
// when it disconnects.

import { FrameworkError } from "#core/errors.js";
import type { WorkerCrashes } from "../../plan/extension.js";
import type { SupervisorMessage, WorkerMessage } from "./worker-mark.js";

const END_AFTER_MS = 2500;

let crashes: WorkerCrashes | undefined;

/** The crashes that the supervisor has reported; undefined without any. */
export const workerCrashes = (): WorkerCrashes | undefined => crashes;

/** A server that the supervisor controls. */
export interface Ruled {
  /** Stops the server; `atOnce` skips the delay in which balancers notice that it is not ready. */
  stop(atOnce: boolean): Promise<void>;
  readonly closed: Promise<boolean>;
}

/** Stops the server and exits, on the supervisor's message or when the supervisor has died. */
export function followSupervisor(server: Ruled): void {
  const end = async (atOnce: boolean): Promise<void> => {
    await server.stop(atOnce);
    if (!(await server.closed)) process.exitCode = 1;
    process.exit();
  };
  process.on("message", (message: unknown) => {
    const told = message as Partial<SupervisorMessage> | null;
    if (told?.framework === "stop") void end(false);
    if (told?.framework === "crashes") crashes = told.crashes;
  });
  process.once("disconnect", () => void end(true));
  // The supervisor may have died while this program was loaded.
  if (!process.connected) void end(true);
  // A program that closes its server itself ends as it would without a supervisor.
  void server.closed.then(() => process.channel?.unref());
}

export const tellReady = (): void => tell({ framework: "ready" });

/** Reports a signal to stop: the end of this process is no crash then. */
export const tellSignalled = (): void => tell({ framework: "signalled" });

/** Lets the supervisor start the next worker while this one drains. */
export const tellStopping = (): void => tell({ framework: "stopping" });

/** Reports why the worker cannot serve. The process exits then: by itself, as most programs whose `run` rejects, or after END_AFTER_MS. */
export function tellFailed(error: unknown): void {
  setTimeout(() => process.exit(1), END_AFTER_MS).unref();
  const code = error instanceof FrameworkError ? error.code : "START_FAILED";
  tell({ framework: "failed", code, message: error instanceof Error ? error.message : String(error) });
}

/** A message on a closed channel is lost. The `disconnect` event exits the process then. */
function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
