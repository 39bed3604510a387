// Checks that the changelog has a line for the changes of docs/api since a commit.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { apiChanges, uncovered } from "./api-changes.mjs";

const REPORTS = "docs/api";
const CHANGELOG = "CHANGELOG.md";

/**
 * Compares the working tree in `folder` with `base`, or with the default commit. `missing` is the beginning
 * of the required line; `note` is the reason if nothing is compared.
 */
export function changelogState(folder, base) {
  const git = (...args) => {
    const { status, stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 });
    return status === 0 ? stdout.trim() : undefined;
  };
  const from = base === undefined ? usualBase(git) : { reports: base, changelog: base };
  if (from.reports === undefined)
    return { note: `No earlier commit of ${REPORTS} in this clone: the changelog is not checked` };
  const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${from.reports}^{commit}`);
  if (commit === undefined) throw new Error(`--base ${from.reports} is no commit of this clone`);
  const earlier = (file, at = commit) => git("show", `${at}:${file}`) ?? "";
  const names = (list) => list?.split("\n").filter(Boolean) ?? [];
  const before = names(git("ls-tree", "--name-only", `${commit}:${REPORTS}`));
  const since = commit.slice(0, 10);
  if (before.length === 0) return { note: `${since} has no ${REPORTS}: the changelog is not checked` };
  const here = (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "");
  const now = existsSync(join(folder, REPORTS)) ? readdirSync(join(folder, REPORTS)) : [];
  const changes = [...new Set([...before, ...now])].map((name) => {
    const file = `${REPORTS}/${name}`;
    return { name, ...apiChanges(earlier(file), here(file)) };
  });
  const all = { gone: changes.flatMap(({ gone }) => gone), added: changes.flatMap(({ added }) => added) };
  return { since, changes, missing: uncovered(all, earlier(CHANGELOG, from.changelog), here(CHANGELOG)) };
}

/**
 * Not always the commit before: a push may have several, and only the newest is checked. Lines of the
 * changelog count from the previous change of the reports on: they may come before the reports' own commit.
 */
function usualBase(git) {
  const [newest, previous] = git("log", "-2", "--format=%H", "--", REPORTS)?.split("\n") ?? [];
  if (git("status", "--porcelain", REPORTS) !== "") return { reports: "HEAD", changelog: newest || "HEAD" };
  const shared = git("merge-base", "HEAD", "origin/main");
  if (shared !== undefined && shared !== git("rev-parse", "HEAD"))
    return { reports: shared, changelog: shared };
  const before = newest && git("rev-parse", "--verify", "--quiet", `${newest}^`);
  return { reports: before || undefined, changelog: previous ?? before };
}
