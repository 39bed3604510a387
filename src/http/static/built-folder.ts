import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { packageFolder } from "#runtime/definition/call-site.js";

/**
 * Directory of a page's built files, which may not exist: `inspector/ui` of dist in the package,
 * `inspector-ui` of .build for a program that runs from source.
 */
export function builtFolder(layer: string, name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = packageFolder(here);
  return here.startsWith(join(root, "src") + sep)
    ? join(root, ".build", `${layer}-${name}`)
    : join(root, "dist", layer, name);
}
