// How a process learns that it is a worker: the supervisor says so in its environment,
// and what the two tell each other afterwards goes over the channel that fork() made.

import { FrameworkError } from "#core/errors.js";
import type { WorkerMark } from "../../plan/extension.js";

// Not FRAMEWORK_: FrameworkConfig refuses such a variable that is no key.
const VARIABLE = "_FRAMEWORK_WORKER";

/** What a worker tells its supervisor. */
export type WorkerMessage =
  | { readonly framework: "ready" }
  | { readonly framework: "failed"; readonly code: string; readonly message: string };

/** What a supervisor tells a worker. */
export const STOP = { framework: "stop" } as const;

export const markedEnvironment = (mark: WorkerMark): NodeJS.ProcessEnv => ({
  ...process.env,
  [VARIABLE]: JSON.stringify(mark),
});

let isTaken = false;
let own: WorkerMark | undefined;

/** Whether this process is a worker: also before its mark is taken. */
export const isWorker = (): boolean =>
  own !== undefined || (process.env[VARIABLE] !== undefined && process.send !== undefined);

/**
 * The mark, where this process is a worker. Taken once: a program that the worker starts
 * is none. Throws CONFIG_INVALID for a second ingress that has workers.
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
