// Starts servers of runs that wait (waiting-server.ts), and calls them.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";

import { bareEnvironment, programArguments } from "./run-program.js";
import type { WaitingCalls } from "./waiting-server.js";

interface Answer {
  readonly n: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface WaitingServer {
  readonly process: ChildProcess;
  readonly call: <C extends keyof WaitingCalls>(
    call: C,
    ...args: Parameters<WaitingCalls[C]>
  ) => Promise<Awaited<ReturnType<WaitingCalls[C]>>>;
  /** Ends it, by a signal where one is given. */
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
}

export async function waitingServer(variables: Readonly<Record<string, string>>): Promise<WaitingServer> {
  const child = spawn(process.execPath, programArguments("native-tests/support/waiting-server.ts"), {
    env: { ...bareEnvironment(), FRAMEWORK_PROFILE: "prod", ...variables },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const open = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  const answerTo = (n: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(`The server ended: ${stderr}`));
      child.once("exit", ended);
      open.set(n, (answer) => {
        child.off("exit", ended);
        resolve(answer);
      });
    });
  child.on("message", (answer: Answer) => open.get(answer.n)?.(answer));
  await answerTo(calls);
  return {
    process: child,
    async call(call, ...args) {
      calls += 1;
      const answering = answerTo(calls);
      child.send({ n: calls, call, args });
      const { value, error } = await answering;
      if (error !== undefined) throw new Error(`${call}: ${error}`);
      return value as never;
    },
    async end(signal = "SIGTERM") {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      // A halted process ends by no other.
      child.kill("SIGCONT");
      await ended;
    },
  };
}

export interface DoneStep {
  readonly id: string;
  /** Milliseconds since 1970, by the clock of the machine. */
  readonly at: number;
}

/** The steps behind waits that ran, in order. */
export const doneIn = (file: string): readonly DoneStep[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [id = "", at] = line.split(" ");
          return { id, at: Number(at) };
        })
    : [];
