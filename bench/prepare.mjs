// What has to be there before anything is measured: the built package, the peers.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { buildSync } from "esbuild";

import { root } from "./root.mjs";

export function buildPackage(folder = root) {
  run(process.execPath, ["scripts/build.mjs"], folder);
}

/** To be called when the benchmarks are in their place. */
export function buildInternals(folder = root) {
  buildSync({
    entryPoints: [join(folder, "bench/internals.ts")],
    outfile: join(folder, "bench/.build/internals.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    conditions: ["framework-source"],
  });
}

export function installPeers() {
  if (!existsSync(join(root, "bench/node_modules"))) run("npm", ["ci", "--prefix", "bench"], root);
}

/** Runs it with its output shown on stderr: stdout is for tables. */
export function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${cwd}: ${error ?? status}`);
}
