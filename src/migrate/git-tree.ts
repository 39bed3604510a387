import { execFileSync } from "node:child_process";
import { dirname } from "node:path";

import { MigrationError } from "./rule.js";
import { repositoryOf } from "./source-files.js";

/** Throws where a repository of these files has changes that are not committed. */
export function checkCommitted(paths: readonly string[]): void {
  const folders = new Set(paths.map((path) => dirname(path)));
  const repositories = new Set([...folders].map(repositoryOf).filter((folder) => folder !== undefined));
  for (const repository of repositories) {
    const changed = changesIn(repository);
    if (changed.length > 0)
      throw new MigrationError(
        `${repository} has changes that are not committed: ${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ` and ${changed.length - 3} more` : ""}. Commit or stash them, so that git can undo the migration, or give --force`,
      );
  }
}

function changesIn(repository: string): readonly string[] {
  try {
    const status = execFileSync("git", ["-C", repository, "status", "--porcelain"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return status
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(3));
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
    throw new MigrationError(
      `git could not list the changes of ${repository}: ${(stderr || message).trim()}. --force migrates without that`,
    );
  }
}
