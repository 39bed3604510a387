// Directories of files for tests, gone when the process ends.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const made: string[] = [];
process.on("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** An empty directory. */
export function emptyFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "site-"));
  made.push(path);
  return path;
}

/** A directory with these files, by their paths in it. */
export function site(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = emptyFolder();
  for (const [path, content] of Object.entries(files)) put(root, path, content);
  return root;
}

/** Writes a file, at a time that lies well behind. */
export function put(root: string, path: string, content: string | Uint8Array, at = YESTERDAY): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, at, at);
  return file;
}

/** In whole seconds. */
export const YESTERDAY = new Date(Math.floor(Date.now() / 1000) * 1000 - 86_400_000);
