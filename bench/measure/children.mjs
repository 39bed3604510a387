// Processes that a benchmark starts. Each is stopped by its own process id, also
// when the run fails or is interrupted.

import { spawn } from "node:child_process";

import { atExit } from "./at-exit.mjs";

// Everyone at their fastest, whatever this shell is set to.
const env = { ...process.env, FRAMEWORK_PROFILE: "prod", NODE_ENV: "production", NODE_OPTIONS: "" };

export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env, ...options });
  child.once(
    "exit",
    atExit(() => child.kill("SIGKILL")),
  );
  child.output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream]?.on("data", (text) => {
      child.output[stream] += text;
    });
  return child;
}

/** Resolves when it has ended. */
export function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGKILL");
  });
}

/** What a command writes to its standard output. Rejects where it fails. */
export function outputOf(command, args, options) {
  const child = start(command, args, options);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      const { stdout, stderr } = child.output;
      if (status === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`));
    });
  });
}

/** Resolves when the child has written the text, to stderr where its stdout is discarded. Rejects where it ends or takes longer. */
export function written(child, text, timeoutMs) {
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(new Error(`${child.spawnargs.join(" ")} ${why}\n${child.output.stdout}${child.output.stderr}`));
    const timer = setTimeout(() => fail(`wrote no ${text} in ${timeoutMs} ms`), timeoutMs);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => fail(`ended before it wrote ${text}`));
    const stream = child.stdout === null ? "stderr" : "stdout";
    child[stream].on("data", () => {
      if (!child.output[stream].includes(text)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
