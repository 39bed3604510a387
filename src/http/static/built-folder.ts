import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { packageFolder } from "#runtime/definition/call-site.js";

/**
 * Where the built files of a page are, or would be: in the package as `inspector/ui` of dist, for a
 * program that runs from source as `inspector-ui` of .build.
 */
export function builtFolder(layer: string, name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = packageFolder(here);
  return here.startsWith(join(root, "src") + sep)
    ? join(root, ".build", `${layer}-${name}`)
    : join(root, "dist", layer, name);
}
