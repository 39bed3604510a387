// Folders of scripts/ that have a manifest, a lockfile and node_modules of their own.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Installs the packages of a folder where they are missing, or older than the lockfile, without their scripts. Returns its path. */
export function installed(name) {
  const folder = fileURLToPath(new URL(name, import.meta.url));
  const modifiedAt = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (modifiedAt("node_modules/.package-lock.json") >= modifiedAt("package-lock.json")) return folder;
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--prefer-offline"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}`);
  return folder;
}
