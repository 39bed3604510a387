import { runCommand } from "./run-command.js";

/** Runs `framework bench` in this process; what it measures has processes of its own. */
export const benched = (args: readonly string[]) => runCommand(["bench", ...args]);
