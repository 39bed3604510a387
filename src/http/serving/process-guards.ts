// Handles signals and uncaught errors of a serving process, with one set of handlers for all servers.
// The process exits when the last server has stopped: with 1 if any server cut a run, else with
// process.exitCode.

import type { Reporter } from "#core/bus/reporter.js";
import { requestIdOfRejection } from "./rejection-context.js";

interface Guarded {
  close(): Promise<void>;
  /** Resolves to true if no run was cut. */
  readonly closed: Promise<boolean>;
  readonly reporter: Reporter;
  /** Called at the first signal. */
  readonly signalled?: (() => void) | undefined;
}

const servers = new Set<Guarded>();
let stopping = false;
let signals = 0;
let rejections = 0;

/**
 * SIGTERM and SIGINT stop the server and exit; a second signal exits at once. Unhandled rejections
 * are reported, uncaught exceptions also stop the servers. Returns a function that removes the server.
 */
export function guardProcess(server: Guarded): () => void {
  if (servers.size === 0) {
    for (const [event, handler] of handlers) process.on(event, handler);
  }
  servers.add(server);
  return () => {
    servers.delete(server);
    if (servers.size > 0 || stopping) return;
    for (const [event, handler] of handlers) process.off(event, handler);
  };
}

async function stopAll(): Promise<void> {
  if (stopping) return;
  stopping = true;
  const drained = await Promise.all(
    [...servers].map(async (server) => {
      await server.close();
      return server.closed;
    }),
  );
  if (!drained.every(Boolean)) process.exitCode = 1;
  process.exit();
}

function onSignal(): void {
  signals += 1;
  if (signals > 1) process.exit(1);
  // After an exception the process stops already, and the signal is not the reason of its end.
  if (!stopping) for (const { signalled } of servers) signalled?.();
  void stopAll();
}

function onRejection(error: unknown): void {
  rejections += 1;
  const requestId = requestIdOfRejection();
  report({
    code: "PROCESS_REJECTION",
    message: `A promise was rejected that nobody awaits (${rejections} in this process)`,
    error,
    ...(requestId !== undefined && { requestId }),
  });
}

function onException(error: unknown): void {
  process.exitCode = 1;
  report({
    code: "PROCESS_EXCEPTION",
    message: "An exception outside every step: the server stops",
    error,
  });
  void stopAll();
}

/** Reports to the first server's reporter. */
function report(what: Parameters<Reporter>[0]): void {
  const [first] = servers;
  first?.reporter(what);
}

const handlers = [
  ["SIGTERM", onSignal],
  ["SIGINT", onSignal],
  ["unhandledRejection", onRejection],
  ["uncaughtException", onException],
] as const;
