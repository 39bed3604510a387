import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { packageFolder } from "#runtime/call-site.js";

/** Where the page's built files are, or would be: of the package, or of a program that runs from source. */
export function pageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = packageFolder(here);
  return here.startsWith(join(root, "src") + sep)
    ? join(root, ".build", "inspector-ui")
    : join(root, "dist", "inspector", "ui");
}
