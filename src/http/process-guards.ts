import type { Reporter } from "#core/reporter.js";

interface Stoppable {
  close(): Promise<void>;
  readonly closed: Promise<boolean>;
}

/**
 * Stops the server on SIGTERM and SIGINT and exits, 0 or, where a run was cut, 1; a
 * second signal exits at once. A rejection that nobody awaits is reported; an
 * exception outside every step is too, and stops the server. Answers what undoes it.
 */
export function guardProcess(server: Stoppable, report: Reporter): () => void {
  let stopping = false;
  const stop = async (code: number): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    await server.close();
    process.exit((await server.closed) ? code : 1);
  };
  const onSignal = (): void => void stop(0);
  const onRejection = (error: unknown): void =>
    report({ code: "PROCESS_REJECTION", message: "A promise was rejected that nobody awaits", error });
  const onException = (error: unknown): void => {
    report({
      code: "PROCESS_EXCEPTION",
      message: "An exception outside every step: the server stops",
      error,
    });
    if (!stopping) void stop(1);
  };

  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  return () => {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
    process.off("unhandledRejection", onRejection);
    process.off("uncaughtException", onException);
  };
}
