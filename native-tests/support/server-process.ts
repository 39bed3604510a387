import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

import { programArguments } from "./run-program.js";

/** A server in a process of its own, so that a test sees it die. */
export interface ServerProcess {
  readonly address: string;
  readonly process: ChildProcess;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** What it wrote so far: its log on stdout, and what Node.js warns of on stderr. */
  readonly log: () => string;
  readonly alive: () => boolean;
  /** What it holds of the machine's memory, in bytes. Linux alone says so. */
  readonly memory: () => Promise<number>;
  /** Sends a signal and answers the exit code, or the signal that ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>;
  /** Ends it without waiting for its connections: it exits at a second signal. */
  readonly end: () => Promise<void>;
}

const stillRunning = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of stillRunning) child.kill("SIGKILL");
});

/** Runs the ingress of a module of native-tests/support, made with these options, by serve.ts. */
export const startIngress = (file: string, options: object = {}, env: Record<string, string> = {}) => {
  const program = [
    "native-tests/support/serve.ts",
    `./${file.replace(/ts$/, "js")}`,
    JSON.stringify(options),
  ] as const;
  return start(file, programArguments(...program), env);
};

/** Starts a file, seen from native-tests/support, that prints "listening ADDRESS", or the same as a URL. */
export const startServer = (file: string, env: Record<string, string> = {}) =>
  start(file, programArguments(`native-tests/support/${file}`), env);

async function start(
  file: string,
  program: readonly string[],
  env: Record<string, string>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--expose-gc", ...program], {
    env: { ...process.env, FRAMEWORK_PROFILE: "prod", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  stillRunning.add(child);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  void exited.then(() => stillRunning.delete(child));
  let stdout = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const [, told] = /listening (?:on http:\/\/)?(\S+)\n/.exec(stdout) ?? [];
      if (told !== undefined) resolve(told);
    });
    void exited.then(([code]) => reject(new Error(`${file} ended with ${code}: ${stderr}`)));
  });
  return {
    address,
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    log: () => stdout + stderr,
    alive: () => child.exitCode === null && child.signalCode === null,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    },
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code, killedBy] = await exited;
      return code ?? killedBy;
    },
    end: async () => {
      child.kill("SIGTERM");
      child.kill("SIGINT");
      await exited;
    },
  };
}
