import type { ChildProcess } from "node:child_process";

import type { ThrownCode } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import type { WorkerMark } from "../../plan/extension.js";
import { isRoomMessage, RoomChannel, type RoomMessage } from "./room-channel.js";
import { markedEnvironment, STOP, type WorkerMessage } from "./worker-mark.js";

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
  /** Told what the worker publishes to the rooms of the others. */
  onRoom: (message: RoomMessage) => void = () => {};
  readonly #child: ChildProcess;
  readonly #rooms: RoomChannel;
  #servesSince: number | undefined;

  constructor(program: string, mark: WorkerMark) {
    const { fork } = process.getBuiltinModule("node:child_process");
    const child = fork(program, process.argv.slice(2), {
      env: markedEnvironment(mark),
      // A debugger has one port, and the supervisor's process has it.
      execArgv: process.execArgv.filter((option) => !option.startsWith("--inspect")),
      // Bytes go as they are: in JSON they would be an object with a member for each.
      serialization: "advanced",
    });
    this.#child = child;
    this.#rooms = new RoomChannel((message, done) => void child.send(message, done));
    this.ended = new Promise((resolve) => {
      const end = (how: string, isClean: boolean): void => {
        this.hasEnded = true;
        const now = performance.now();
        resolve({ how, isClean, servedMs: now - (this.#servesSince ?? now) });
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
          this.#servesSince = performance.now();
          resolve();
        }
        if (isRoomMessage(message)) this.onRoom(message);
        if (told?.framework === "failed") reject(failureOf(told as WorkerMessage & { framework: "failed" }));
      });
    });
    // Whoever waits for it is told; a worker that is started again has nobody.
    this.ready.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get serves(): boolean {
    return this.#servesSince !== undefined && !this.hasEnded;
  }

  /** Tells it what another worker published; whether that was sent. */
  tellRoom(message: RoomMessage): boolean {
    return this.#rooms.post(message);
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
