// Where compiled tests are, with the same layout as the repository.

import { join } from "node:path";

/** From the root of the repository. */
export const COMPILED = ".build/test";

/** The folders that are compiled. */
export const SOURCES = ["src", "native-tests", "examples"];

export const isTypeScript = (file) => /\.tsx?$/.test(file);

/** The compiled module of a TypeScript file, or the copy of another one; all from the root. */
export const compiledPath = (file) => join(COMPILED, file.replace(/\.tsx?$/, ".js"));
