import { runCommandLine } from "../../src/cli/command-line.js";

/** Runs `framework bench` in this process; what it measures has processes of its own. */
export async function benched(args: readonly string[]) {
  const told = { stdout: "", stderr: "" };
  const status = await runCommandLine(["bench", ...args], {
    out: (text) => {
      told.stdout += text;
    },
    err: (text) => {
      told.stderr += text;
    },
    isTerminal: false,
  });
  return { status, ...told };
}
