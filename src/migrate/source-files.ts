// The files below the paths of a command. Folders named node_modules and .git and what
// .gitignore names are left out, and symbolic links: their targets are elsewhere.

import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

import { Ignored } from "./ignored.js";
import { MigrationError } from "./rule.js";

export interface SourceFile {
  readonly path: string;
  /** From the working directory. */
  readonly shown: string;
  /** The paths that globs are compared with: from the working directory, and from the folder that was named. */
  readonly matched: readonly string[];
}

const SKIPPED = new Set(["node_modules", ".git"]);

export function sourceFiles(cwd: string, operands: readonly string[]): readonly SourceFile[] {
  const files = new Map<string, SourceFile>();
  for (const operand of operands) {
    const path = resolve(cwd, operand);
    if (!existsSync(path)) throw new MigrationError(`there is no file or folder ${operand}`);
    const isFolder = statSync(path).isDirectory();
    const base = isFolder ? path : dirname(path);
    for (const found of isFolder ? below(path, ignoredAbove(path)) : [realpathSync(path)])
      files.set(found, {
        path: found,
        shown: slashed(relative(cwd, found)),
        matched: [slashed(relative(cwd, found)), slashed(relative(base, found))],
      });
  }
  return [...files.values()].sort((a, b) => (a.shown < b.shown ? -1 : 1));
}

const slashed = (path: string): string => path.replaceAll(sep, "/");

function* below(folder: string, outer: Ignored): Generator<string> {
  const ignored = outer.within(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (SKIPPED.has(entry.name) || ignored.has(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) yield* below(path, ignored);
    else if (entry.isFile()) yield path;
  }
}

/** What the folders between the root of the repository and a folder ignore. */
function ignoredAbove(folder: string): Ignored {
  const root = repositoryOf(folder);
  if (root === undefined || root === folder) return new Ignored();
  const parent = dirname(folder);
  return ignoredAbove(parent).within(parent);
}

/** The nearest folder upwards that has a .git. */
export function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  return folder === dirname(folder) ? undefined : repositoryOf(dirname(folder));
}
