import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the tools, whose node_modules are its own. */
export const toolsFolder = fileURLToPath(new URL(".", import.meta.url));

/** Installs the tools where they are missing, or older than the lockfile. Runs no script of theirs. */
export function installTools() {
  const modifiedAt = (file) => statSync(`${toolsFolder}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (modifiedAt("node_modules/.package-lock.json") >= modifiedAt("package-lock.json")) return;
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--prefer-offline"], {
    cwd: toolsFolder,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`npm ci failed in ${toolsFolder}`);
}
