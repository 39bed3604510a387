// A copy of the repository's tracked files to break, with the same node_modules.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Makes a copy, which is removed when the process ends. */
export function makeCopy() {
  const folder = mkdtempSync(join(tmpdir(), "framework-copy-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(Boolean);
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    cpSync(file, join(folder, file), { preserveTimestamps: true });
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, ".build"));
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "copy");
  return folder;
}

/** Undoes every change to the copy. */
export function restore(folder) {
  git(folder, "checkout", "-q", "--", ".");
  git(folder, "clean", "-qfd");
}

/** Running commands, each a process group of its own: no signal of the terminal reaches it. */
const running = new Set();
process.on("exit", () => {
  for (const child of running) endAll(child);
});

function endAll(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has ended.
  }
}

/**
 * Runs a command of the project in the copy, to its end or until its output matches `last`. One that
 * prints nothing for `timeoutMs` counts as failed.
 */
export function runIn(folder, command, { last, timeoutMs = 60_000 } = {}) {
  const path = `${resolve("node_modules/.bin")}:${process.env.PATH}`;
  const env = { ...process.env, PATH: path };
  const child = spawn(command, { cwd: folder, shell: true, detached: true, env });
  running.add(child);
  const timer = setTimeout(endAll, timeoutMs, child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      timer.refresh();
      if (last?.test(output)) endAll(child);
    });
  }
  return new Promise((done) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      running.delete(child);
      done({ passed: code === 0, output });
    });
  });
}

/** Replaces text that must stand there exactly once. */
export function replaceIn(folder, file, from, to) {
  const times = countOf(from, folder, file);
  if (times !== 1)
    throw new Error(`${file} has ${JSON.stringify(from)} ${times} times, not once: mend this list`);
  const text = readFileSync(join(folder, file), "utf8");
  writeFileSync(
    join(folder, file),
    text.replace(from, () => to),
  );
}

/** How often a file has a text. */
function countOf(text, folder, file) {
  return readFileSync(join(folder, file), "utf8").split(text).length - 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const git = (folder, ...args) => execFileSync("git", args, { cwd: folder });
