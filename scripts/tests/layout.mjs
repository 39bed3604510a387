// Where compiled tests are, with the same layout as the repository.

import { join } from "node:path";

/** From the root of the repository. */
export const COMPILED = ".build/test";

/** The folders that are compiled. */
export const SOURCES = ["src", "native-tests", "examples"];

export const isTypeScript = (file) => /\.tsx?$/.test(file);

/** The compiled module of a TypeScript file, or the copy of another one; all from the root. */
export const compiledPath = (file) => join(COMPILED, file.replace(/\.tsx?$/, ".js"));

/** The package as it ships, bundled from src: what programs and most tests run on. */
export const BUNDLE = join(COMPILED, "dist");

/** The condition of Node.js under which "framework" and "#..." mean the bundle. */
export const ON_BUNDLE = "framework-bundle";

/** Beside the coverage of a test file: the process ids of the programs that it started, each with its arguments. */
export const PROGRAMS = "programs.txt";
