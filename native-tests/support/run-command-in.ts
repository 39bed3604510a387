import { runCommand } from "./run-command.js";
import { bareEnvironment } from "./run-program.js";

export interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command of the program in this process, in another folder and environment meanwhile. */
export async function runCommandIn({ cwd = process.cwd(), env = {} }: Place, args: readonly string[]) {
  const before = { cwd: process.cwd(), env: process.env };
  process.chdir(cwd);
  process.env = { ...bareEnvironment(), ...env };
  try {
    return await runCommand(args);
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
  }
}
