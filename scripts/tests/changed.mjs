// Which test files changes can affect: by the map of what each ran, else by imports.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";

import { coverageMap } from "./coverage-map.mjs";
import { isModule } from "./coverage-read.mjs";
import { Graph, sparseGraph } from "./graph.mjs";

/** Changed files that are no part of the graph and can change every test. */
const EVERYTHING = /^(package(-lock)?\.json|tsconfig\.json|scripts\/test(s\/|\.mjs$).*)$/;

/** What git sees as changed, with new files. */
export function changedFiles() {
  const lines = (...args) =>
    git(...args)
      .split("\n")
      .filter(Boolean);
  return [...lines("diff", "--name-only", "HEAD"), ...lines("ls-files", "--others", "--exclude-standard")];
}

/** Chooses test files by changes since the last commit, or since it was asked the last time. */
export class Selection {
  /** The texts that were compared last. */
  #texts = new Map();

  /** The files of these that the changed ones can affect, and how that was found. */
  of(files, changed) {
    const isForAll = (file) =>
      EVERYTHING.test(file) && statSync(file, { throwIfNoEntry: false }) !== undefined;
    const cause = changed.find(isForAll);
    if (cause !== undefined) return { files, how: `all: ${cause} changed` };
    const map = coverageMap();
    const changes = changed.filter(isModule).map((file) => this.#change(file));
    const affected = map?.affectedBy(changes);
    const others = changed.filter((file) => !isModule(file));
    const [imports, texts] = [sparseGraph(), new Graph()];
    const isAffected = (test) => {
      if (others.length > 0 && texts.isAffected(test, others)) return true;
      if (map?.knows(test)) return affected.has(test);
      return (
        changes.length > 0 &&
        imports.isAffected(
          test,
          changes.map(({ file }) => file),
        )
      );
    };
    const how =
      map === undefined
        ? "by imports: npm test -- --map finds what each test runs"
        : `by the map of ${map.age}`;
    return { files: files.filter(isAffected), how };
  }

  #change(file) {
    const before = this.#texts.get(file) ?? committed(file);
    const after = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    this.#texts.set(file, after);
    return { file, before, after };
  }
}

function committed(file) {
  try {
    return git("show", `HEAD:${file}`);
  } catch {
    return undefined;
  }
}

const git = (...args) =>
  execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "ignore"] });
