// What has to be there before anything is measured: the built package, the peers.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { root } from "./root.mjs";

export function buildPackage(folder = root) {
  run(process.execPath, ["scripts/build.mjs"], folder);
}

export function installPeers() {
  if (!existsSync(join(root, "bench/node_modules"))) run("npm", ["ci", "--prefix", "bench"], root);
}

/** Runs it with its output shown on stderr: stdout is for tables. */
export function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${cwd}: ${error ?? status}`);
}
