// The files that are served: made anew for each run, in a folder that ends with it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { atExit } from "../measure/at-exit.mjs";

const LINE = "A line of text that is as long as most lines of a page are, more or less.\n";

export const contentOf = (bytes) => LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes);

export const SMALL = 4096;
export const LARGE = 1_048_576;

/** Where files of both sizes are. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "framework-bench-files-"));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "small.txt"), contentOf(SMALL));
  writeFileSync(join(folder, "large.txt"), contentOf(LARGE));
  return folder;
}
