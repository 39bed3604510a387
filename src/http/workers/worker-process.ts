import { type ChildProcess, fork } from "node:child_process";

import type { ThrownCode } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import { markedEnvironment, STOP, type WorkerMark, type WorkerMessage } from "./worker-mark.js";

/** How a worker ended. */
export interface Ending {
  /** Where nothing was cut. */
  readonly isClean: boolean;
  /** "with code 1", "by SIGKILL". */
  readonly how: string;
  /** How long it served: 0 where it never did. */
  readonly servedMs: number;
}

/** A worker as its supervisor sees it: the program of this process once more, in a process of its own. */
export class WorkerProcess {
  /** Resolves when it serves; rejects with what its `run` rejected with. Never settles where it ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  hasEnded = false;
  readonly #child: ChildProcess;

  constructor(program: string, mark: WorkerMark) {
    let servesSince: number | undefined;
    const child = fork(program, process.argv.slice(2), {
      env: markedEnvironment(mark),
      // A debugger has one port, and the supervisor's process has it.
      execArgv: process.execArgv.filter((option) => !option.startsWith("--inspect")),
    });
    this.#child = child;
    this.ended = new Promise((resolve) => {
      const end = (how: string, isClean: boolean): void => {
        this.hasEnded = true;
        const now = performance.now();
        resolve({ how, isClean, servedMs: now - (servesSince ?? now) });
      };
      child.once("exit", (code, signal) =>
        end(signal === null ? `with code ${code}` : `by ${signal}`, code === 0),
      );
      // It could not be started at all.
      child.once("error", (error) => end(`because of ${error.message}`, false));
    });
    this.ready = new Promise((resolve, reject) => {
      child.on("message", (message) => {
        const told = message as Partial<WorkerMessage> | null;
        if (told?.framework === "ready") {
          servesSince = performance.now();
          resolve();
        }
        if (told?.framework === "failed") reject(failureOf(told as WorkerMessage & { framework: "failed" }));
      });
    });
    // Whoever waits for it is told; a worker that is started again has nobody.
    this.ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks it to stop as a signal would. */
  stop(): void {
    if (this.#child.connected) this.#child.send(STOP, () => {});
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** What `run` rejected with in the worker. */
const failureOf = ({ code, message }: { readonly code: string; readonly message: string }): FrameworkError =>
  new FrameworkError(code as ThrownCode, message);
