// Checks the package as it would be published: its manifest, that each export resolves to types
// and code, and that the types compile.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";

import { compileTarball } from "./compiled-entries.mjs";

run("npx --no-install publint --strict");
mkdirSync(".build", { recursive: true });
const { stdout } = run("npm pack --silent --pack-destination .build", "pipe");
const tarball = `.build/${stdout.toString().trim().split("\n").at(-1)}`;
try {
  run(`npx --no-install attw ${tarball} --profile esm-only`);
  compileTarball(tarball);
} finally {
  rmSync(tarball);
}

function run(command, stdout = "inherit") {
  const result = spawnSync(command, { shell: true, stdio: ["inherit", stdout, "inherit"] });
  if (result.status !== 0) process.exit(result.status ?? 1);
  return result;
}
