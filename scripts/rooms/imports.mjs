// The imports between files of src, types counted.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

import { specifiersOf } from "./specifiers.mjs";

/** Every file below a folder of the root, as "src/core/mode.ts". */
export function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * All imports between files of src as `{ from, to, isLazy }`, each pair once, and as `lost` those
 * that lead to no file. An import is lazy if it is an `import()` and no static import has the same target.
 */
export function readImports(root) {
  const imports = [];
  const lost = [];
  for (const from of filesBelow(root, "src")) {
    if (!/\.[cm]?[jt]sx?$/.test(from)) continue;
    const targets = new Map();
    for (const { specifier, isLazy } of specifiersOf(from, readFileSync(join(root, from), "utf8"))) {
      const path = pathOf(specifier, from);
      if (path === undefined) continue;
      const to = fileAt(root, path);
      if (to === undefined) lost.push({ from, specifier });
      else targets.set(to, isLazy && (targets.get(to) ?? true));
    }
    for (const [to, isLazy] of targets) imports.push({ from, to, isLazy });
  }
  return { imports, lost };
}

/** The file of src that a specifier names; undefined for packages. */
function pathOf(specifier, from) {
  const path = specifier.replace(/\?.*$/, "");
  if (path.startsWith("#")) return `src/${path.slice(1)}`;
  return /^\.\.?(\/|$)/.test(path) ? posix.join(posix.dirname(from), path) : undefined;
}

/** Specifiers name the compiled file. */
const fileAt = (root, path) =>
  [path, path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")].find((file) =>
    statSync(join(root, file), { throwIfNoEntry: false })?.isFile(),
  );
