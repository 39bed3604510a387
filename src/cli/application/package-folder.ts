import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folderAround = (folder: string): string =>
  existsSync(join(folder, "package.json")) ? folder : folderAround(dirname(folder));

/** The folder of this package. A bundle has modules at other depths than the source. */
export const packageFolder = folderAround(dirname(fileURLToPath(import.meta.url)));
