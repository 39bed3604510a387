import { runCommandLine } from "#cli/command-line.js";

/** Runs a command of the program in this process. */
export async function runCommand(args: readonly string[]) {
  const written = { stdout: "", stderr: "" };
  const status = await runCommandLine(args, {
    out: (text) => {
      written.stdout += text;
    },
    err: (text) => {
      written.stderr += text;
    },
    isTerminal: false,
  });
  return { status, ...written };
}
