// Where the repository is, for tests that read its files or run its programs. Tests run
// compiled, from .build/test, or from source by tsx: this file and run-program.ts alone
// know which.

import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMPILED = join("/", ".build", "test", "/");

/** The folder that has native-tests, src and examples as they run. */
export const moduleRoot = fileURLToPath(new URL("../..", import.meta.url));

/** True if the tests run compiled (npm test), false from source (tsx). */
export const isCompiled = moduleRoot.endsWith(COMPILED);

/** The repository's folder. */
export const root = isCompiled ? moduleRoot.slice(0, -COMPILED.length) : moduleRoot;

/** The absolute path of a file of the repository, given from its root. */
export const fromRoot = (path: string): string => join(root, path);

/** The module that runs for a TypeScript file of the repository, given from its root. */
export const moduleOf = (path: string): string =>
  join(moduleRoot, isCompiled ? path.replace(/\.tsx?$/, ".js") : path);
