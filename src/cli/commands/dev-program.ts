import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";

/** Time for hooks and open responses of the previous process, which is then killed. */
const STOP_MS = 500;

const HOOK = `${import.meta.resolve("#cli/commands/dev-hook.js")}?parent=${process.pid}`;

const LISTENING = "listening ";

export interface ProgramEvents {
  /** Called when it has loaded a file. */
  readonly loaded: (file: string) => void;
  readonly listening: (url: string) => void;
  /** Called when it has ended unexpectedly: "with exit code 1", "by SIGSEGV". */
  readonly ended: (how: string) => void;
}

/**
 * One process of the program. It loads Node.js and the TypeScript loader, and waits for `begin` before
 * it loads the program. Meanwhile the previous process ends and frees its port.
 */
export class DevProgram {
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #exited: Promise<unknown>;
  #isStopped = false;

  constructor(options: readonly string[], command: readonly string[], events: ProgramEvents) {
    this.#child = spawn(process.execPath, [...options, "--import", HOOK, ...command], {
      env: {
        ...process.env,
        FRAMEWORK_PROFILE: process.env["FRAMEWORK_PROFILE"] || "dev",
        _FRAMEWORK_DEV: HOOK,
      },
      stdio: ["inherit", "inherit", "inherit", "pipe"],
      // Its own process group: only this process receives Ctrl+C, and a kill ends its workers too.
      detached: true,
    });
    this.#pipe = this.#child.stdio[3] as Duplex;
    // The channel breaks if the process ends before it has begun.
    this.#pipe.on("error", () => {});
    this.#exited = once(this.#child, "exit").then(([code, signal]) => {
      if (!this.#isStopped) events.ended(signal === null ? `with exit code ${code}` : `by ${signal}`);
    });
    createInterface({ input: this.#pipe }).on("line", (line) => {
      if (line.startsWith(LISTENING)) events.listening(line.slice(LISTENING.length));
      else events.loaded(fileOf(line));
    });
  }

  begin(): void {
    this.#pipe.write("\n");
  }

  /** Asks it to stop. Resolves when it has ended, at the latest after STOP_MS and a kill. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.kill(), STOP_MS);
    await this.end();
    clearTimeout(late);
  }

  /** Resolves when it has ended, by itself or by `kill`. */
  async end(): Promise<void> {
    this.#isStopped = true;
    if (this.#isAlive) this.#child.kill("SIGTERM");
    await this.#exited;
  }

  kill(): void {
    if (this.#isAlive && this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
  }

  get #isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

/** tsx adds a query to the URLs of some files. */
function fileOf(line: string): string {
  const url = new URL(line);
  url.search = "";
  return fileURLToPath(url);
}
