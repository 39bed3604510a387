import type { ChildProcess } from "node:child_process";

import type { ThrownCode } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import type { WorkerCrashes, WorkerMark } from "../../plan/extension.js";
import { isRoomMessage, RoomChannel, type RoomMessage } from "./room-channel.js";
import { markedEnvironment, STOP, type SupervisorMessage, type WorkerMessage } from "./worker-mark.js";

export interface Life {
  /** True after a signal to stop, which the worker handled or died of. */
  readonly isAsked: boolean;
  /** Time of serving in milliseconds; 0 if it never served. */
  readonly servedMs: number;
}

/** The end of a worker. */
export interface Ending extends Life {
  /** True if no run was cut. */
  readonly isClean: boolean;
  /** "with code 1", "by SIGKILL". */
  readonly how: string;
}

/** The signals that ask a process to stop. */
const STOPPING: ReadonlySet<string | null> = new Set(["SIGTERM", "SIGINT", "SIGHUP"]);

/** A worker, from its supervisor's view: the same program in a child process. */
export class WorkerProcess {
  /** Resolves when the worker serves. Rejects with the error of its `run`. Never settles if the process ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<Ending>;
  /** Resolves when the worker begins to stop by itself, or ends. */
  readonly left: Promise<Life>;
  hasLeft = false;
  hasEnded = false;
  /** Called with messages that the worker publishes to rooms. */
  onRoom: (message: RoomMessage) => void = () => {};
  readonly #child: ChildProcess;
  readonly #rooms: RoomChannel;
  #servesSince: number | undefined;
  #isAsked = false;

  constructor(program: string, mark: WorkerMark) {
    const { fork } = process.getBuiltinModule("node:child_process");
    const child = fork(program, process.argv.slice(2), {
      env: markedEnvironment(mark),
      // The supervisor's process uses the debugger's port.
      execArgv: process.execArgv.filter((option) => !option.startsWith("--inspect")),
      // Sends bytes verbatim. In JSON they would be an object with one member per byte.
      serialization: "advanced",
    });
    this.#child = child;
    this.#rooms = new RoomChannel((message, done) => void child.send(message, done));
    this.ended = new Promise((resolve) => {
      const end = (how: string, isClean: boolean, isAsked: boolean): void => {
        this.hasEnded = this.hasLeft = true;
        resolve({ how, isClean, isAsked, servedMs: this.#servedMs });
      };
      child.once("exit", (code, signal) => {
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        end(how, code === 0, this.#isAsked || STOPPING.has(signal));
      });
      // The process could not be started.
      child.once("error", (error) => end(`because of ${error.message}`, false, false));
    });
    let leave: (life: Life) => void = () => {};
    this.left = Promise.race([this.ended, new Promise<Life>((resolve) => (leave = resolve))]);
    this.ready = new Promise((resolve, reject) => {
      child.on("message", (message) => {
        const told = message as Partial<WorkerMessage> | null;
        if (told?.framework === "ready") {
          this.#servesSince = performance.now();
          resolve();
        }
        if (told?.framework === "signalled") this.#isAsked = true;
        if (told?.framework === "stopping" && this.#servesSince !== undefined) {
          this.hasLeft = true;
          leave({ isAsked: this.#isAsked, servedMs: this.#servedMs });
        }
        if (isRoomMessage(message)) this.onRoom(message);
        if (told?.framework === "failed") reject(failureOf(told as WorkerMessage & { framework: "failed" }));
      });
    });
    // Callers of `ready` get the rejection. A restarted worker has no caller.
    this.ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get serves(): boolean {
    return this.#servesSince !== undefined && !this.hasEnded;
  }

  get #servedMs(): number {
    const now = performance.now();
    return now - (this.#servesSince ?? now);
  }

  /** Sends a message that another worker published. Returns true if it was sent. */
  tellRoom(message: RoomMessage): boolean {
    return this.#rooms.post(message);
  }

  tellCrashes(crashes: WorkerCrashes): void {
    this.#send({ framework: "crashes", crashes });
  }

  /** Makes the worker stop, as a signal would. */
  stop(): void {
    this.#send(STOP);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #send(message: SupervisorMessage): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

/** The error of `run` in the worker. */
const failureOf = ({ code, message }: { readonly code: string; readonly message: string }): FrameworkError =>
  new FrameworkError(code as ThrownCode, message);
