// The built package twice in one process, as an application and a plug-in with a
// copy of their own load it.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { root } from "./root.js";

export interface Copy {
  readonly framework: typeof import("framework");
  readonly core: typeof import("framework/core");
  readonly http: typeof import("framework/http");
  readonly macros: typeof import("framework/macros");
}

/** Two folders with the same files, loaded one after the other. They share their dependencies, as npm installs them. */
export async function loadTwoCopies(): Promise<readonly [Copy, Copy]> {
  const folder = mkdtempSync(join(tmpdir(), "framework-two-copies-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const [one, other] = [join(folder, "one"), join(folder, "other")];
  mkdirSync(one);
  writeFileSync(join(one, "package.json"), '{ "type": "module" }');
  const build = `import { bundle } from "./scripts/bundle.mjs"; await bundle(${JSON.stringify(join(one, "dist"))});`;
  execFileSync(process.execPath, ["--input-type=module", "-e", build], { cwd: root });
  cpSync(one, other, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return [await load(one), await load(other)];
}

async function load(folder: string): Promise<Copy> {
  const entry = (path: string) => import(pathToFileURL(join(folder, "dist", path)).href);
  return {
    framework: await entry("index.js"),
    core: await entry("core/index.js"),
    http: await entry("http/index.js"),
    macros: await entry("macros/index.js"),
  };
}
