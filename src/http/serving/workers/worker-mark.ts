// Marks a process as a worker, by an environment variable that the supervisor sets. Later messages use
// the channel of fork().

import { FrameworkError } from "#core/errors.js";
import type { WorkerCrashes, WorkerMark } from "../../plan/extension.js";

// Without the prefix FRAMEWORK_, because FrameworkConfig refuses such a variable without a key.
const VARIABLE = "_FRAMEWORK_WORKER";

/** Messages of a worker to its supervisor. */
export type WorkerMessage =
  | { readonly framework: "ready" }
  /** A signal to stop has arrived. */
  | { readonly framework: "signalled" }
  /** The worker begins to stop. */
  | { readonly framework: "stopping" }
  | { readonly framework: "failed"; readonly code: string; readonly message: string };

export const STOP = { framework: "stop" } as const;

/** Messages of a supervisor to a worker. */
export type SupervisorMessage =
  | typeof STOP
  | { readonly framework: "crashes"; readonly crashes: WorkerCrashes };

export const markedEnvironment = (mark: WorkerMark): NodeJS.ProcessEnv => ({
  ...process.env,
  [VARIABLE]: JSON.stringify(mark),
});

let isTaken = false;
let own: WorkerMark | undefined;

/** True if this process is a worker, also before its mark is taken. */
export const isWorker = (): boolean =>
  own !== undefined || (process.env[VARIABLE] !== undefined && process.send !== undefined);

/**
 * The mark of a worker process, else undefined. It is taken once, so that a program that the worker
 * starts is not a worker. Throws CONFIG_INVALID for a second ingress with workers.
 */
export function takeWorkerMark(): WorkerMark | undefined {
  const { [VARIABLE]: text } = process.env;
  if (isTaken) {
    throw new FrameworkError(
      "CONFIG_INVALID",
      "A worker runs one ingress that has workers, and this is the second: give the others workers(1), in a program of their own",
    );
  }
  if (text === undefined || process.send === undefined) return undefined;
  delete process.env[VARIABLE];
  isTaken = true;
  own = JSON.parse(text) as WorkerMark;
  return own;
}
