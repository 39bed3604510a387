import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { globSource, pathTest } from "./glob.js";

interface Line {
  readonly folder: string;
  readonly matches: (path: string) => boolean;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
}

/** Lines of .gitignore files, those of outer folders first. */
export class Ignored {
  readonly #lines: readonly Line[];

  constructor(lines: readonly Line[] = []) {
    this.#lines = lines;
  }

  /** With the .gitignore of a folder, where it has one. */
  within(folder: string): Ignored {
    const lines = linesOf(folder);
    return lines.length === 0 ? this : new Ignored([...this.#lines, ...lines]);
  }

  /** The last line that matches decides. */
  has(path: string, isFolder: boolean): boolean {
    const line = this.#lines.findLast(
      ({ folder, matches, isForFolders }) =>
        (isFolder || !isForFolders) && matches(relative(folder, path).replaceAll(sep, "/")),
    );
    return line !== undefined && !line.isNegated;
  }
}

function linesOf(folder: string): readonly Line[] {
  let text: string;
  try {
    text = readFileSync(join(folder, ".gitignore"), "utf8");
  } catch {
    return [];
  }
  return text.split(/\r?\n/).flatMap((raw) => lineOf(folder, raw.replace(/(?<!\\) +$/, "")));
}

function lineOf(folder: string, line: string): readonly Line[] {
  if (line === "" || line.startsWith("#")) return [];
  const isNegated = line.startsWith("!");
  const isForFolders = line.endsWith("/");
  const glob = line.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined);
  // A slash before the end ties a line to its folder.
  const start = glob.includes("/") ? "" : "(?:.*/)?";
  try {
    const matches = pathTest(`${start}${globSource(glob.replace(/^\//, ""), false)}`);
    return [{ folder, matches, isNegated, isForFolders }];
  } catch {
    // git passes over a line that it cannot read, too.
    return [];
  }
}
