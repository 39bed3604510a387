#!/usr/bin/env node
import { runCommandLine } from "./command-line.js";

// A reader that closes early, as in `framework routes app.js | head`, is no failure.
process.stdout.on("error", () => process.exit());

const code = await runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY === true,
  hasColour: process.stdout.isTTY === true && (process.env["NO_COLOR"] ?? "") === "",
});
// Resources that the application's module opened would keep the process alive. Waits for the output.
process.stdout.write("", () => process.exit(code));
