// Two commits of this repository, each in a temporary worktree: built, and with the
// benchmarks of this checkout in the place of its own, so that both are measured alike.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { buildInternals, buildPackage, run } from "../prepare.mjs";
import { root } from "../root.mjs";
import { atExit } from "./at-exit.mjs";

/** Checks a commit out and builds it. Gone when the process ends, however it ends. */
export function checkOut(commit) {
  const folder = join(mkdtempSync(join(tmpdir(), "framework-bench-")), "checkout");
  atExit(() => remove(folder));
  run("git", ["worktree", "add", "--detach", folder, commit], root);
  installDependencies(folder);
  buildPackage(folder);
  const bench = join(folder, "bench");
  rmSync(bench, { recursive: true, force: true });
  const isOwn = (file) => !["node_modules", ".build"].includes(basename(file));
  cpSync(join(root, "bench"), bench, { recursive: true, filter: isOwn });
  symlinkSync(join(root, "bench/node_modules"), join(bench, "node_modules"));
  buildInternals(folder);
  return folder;
}

/** The full name of a commit. Throws where there is none. */
export function commitNamed(name) {
  const found = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${name}^{commit}`], {
    cwd: root,
    encoding: "utf8",
  });
  if (found.status !== 0) throw new Error(`No commit ${name}`);
  return found.stdout.trim();
}

function installDependencies(folder) {
  const lockOf = (checkout) => readFileSync(join(checkout, "package-lock.json"), "utf8");
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else run("npm", ["ci"], folder);
}

function remove(folder) {
  // Twice --force: also where adding it was cut short and left it locked.
  spawnSync("git", ["worktree", "remove", "--force", "--force", folder], { cwd: root });
  rmSync(join(folder, ".."), { recursive: true, force: true });
}
