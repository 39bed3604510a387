import { writeSync } from "node:fs";

import { LineOutput } from "./line-output.js";

let output: LineOutput | undefined;

/** The process's single writer to stdout, flushed at exit. */
export function stdoutLines(): LineOutput {
  if (output !== undefined) return output;
  // The first use of process.stdout makes a pipe or socket non-blocking: writes then fail with
  // EAGAIN. Lines bypass the stream, whose buffer is unbounded. Without a listener, an error of the
  // stream would end the process.
  process.stdout.on("error", () => {});
  const made = new LineOutput((bytes) => writeSync(1, bytes));
  process.on("exit", () => made.flush());
  output = made;
  return made;
}
