import { writeSync } from "node:fs";

import { LineOutput } from "./line-output.js";

let output: LineOutput | undefined;

/** The one output of the process to stdout, flushed when it exits. */
export function stdoutLines(): LineOutput {
  if (output !== undefined) return output;
  // The first use of process.stdout makes a pipe or socket answer EAGAIN, where it would
  // have made the process wait; what is written goes past the stream, which has no bound.
  // A stream whose reader has gone ends the process where nobody listens.
  process.stdout.on("error", () => {});
  const made = new LineOutput((bytes) => writeSync(1, bytes));
  process.on("exit", () => made.flush());
  output = made;
  return made;
}
