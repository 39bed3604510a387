// A process that measures. It is asked one thing at a time over its channel.

import { type ChildProcess, spawn } from "node:child_process";

const MAX_KEPT = 4000;

/** The process could not do what it was asked. */
export class ChildFailed extends Error {}

export class Child {
  readonly #process: ChildProcess;
  /** The end of what it wrote to stderr. */
  #written = "";

  constructor(args: readonly string[]) {
    this.#process = spawn(process.execPath, args, {
      // The output of a benchmark is dropped: unread, it would fill the pipe and stop the process.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: environment(),
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#written = (this.#written + text).slice(-MAX_KEPT);
    });
  }

  /** Rejects with ChildFailed where it fails, ends, or takes longer. */
  ask<Answer>(question: string, given: object, patienceMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        clearTimeout(late);
        this.#process.off("message", take).off("close", ended).off("error", failed);
        then();
      };
      const fail = (message: string): void => settle(() => reject(new ChildFailed(message)));
      const take = ({ answer, error }: { answer?: Answer; error?: string }): void =>
        error === undefined ? settle(() => resolve(answer as Answer)) : fail(error);
      const ended = (code: number | null, signal: string | null): void =>
        fail(`its process ended with ${code ?? signal}\n${this.#written}`.trimEnd());
      const failed = (error: Error): void => fail(error.message);
      const late = setTimeout(
        () => fail(`it did not end within ${Math.round(patienceMs / 1000)} s: does a promise never settle?`),
        patienceMs,
      );
      this.#process.on("message", take).on("close", ended).on("error", failed);
      this.#process.send({ question, given });
    });
  }

  /** Resolves when it has ended. */
  stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#process.once("exit", () => resolve());
      this.#process.kill("SIGKILL");
    });
  }
}

/** As in production, unless the shell says otherwise. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return { FRAMEWORK_PROFILE: "prod", NODE_ENV: "production", ...env };
}
