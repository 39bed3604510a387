// The log of servers in this process as they write it, to stdout. support/logged-ingress.ts gives an
// ingress another log, which needs modules that the package does not export.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { after } from "node:test";

/** Keeps what the process writes to stdout by `writeSync`, until the end of the file or suite. */
export function stdoutLog() {
  const { writeSync } = fs;
  let text = "";
  const replace = (write: typeof writeSync) => {
    fs.writeSync = write;
    syncBuiltinESMExports();
  };
  replace(((fd: number, bytes: Uint8Array) => {
    if (fd !== 1) return writeSync(fd, bytes);
    text += Buffer.from(bytes);
    return bytes.length;
  }) as typeof writeSync);
  after(() => replace(writeSync));
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, any>);
  /** The lines of the access log, without level, time and module. */
  const answered = () =>
    lines()
      .filter(({ module }) => module === "http.access")
      .map(({ level, time, module, ...line }) => line as Record<string, any>);
  return { text: () => text, lines, answered };
}
