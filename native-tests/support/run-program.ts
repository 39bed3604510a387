// How programs of the repository are started in processes of their own: compiled where
// the tests run compiled, else from source by tsx. Compiled they run on the bundle of the
// package, unless they import its internals.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { isCompiled, moduleOf, moduleRoot } from "./root.js";

const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g;

/** True if the code, or a module of tests or examples that it imports, imports modules of src. */
function isInternal(code: string, folder: string, seen = new Set<string>()): boolean {
  return [...code.matchAll(IMPORT)].some(([, name = ""]) => {
    if (name.startsWith("#")) return true;
    const file = join(folder, name);
    if (!name.startsWith(".") || seen.has(file) || !existsSync(file)) return false;
    seen.add(file);
    return (
      file.startsWith(join(moduleRoot, "src/")) || isInternal(readFileSync(file, "utf8"), dirname(file), seen)
    );
  });
}

const IN_PACKAGE = /^src\//;

const FROM_SOURCE = ["--conditions=framework-source", "--import", import.meta.resolve("tsx")];
const COMPILED = ["--enable-source-maps"];
const ON_BUNDLE = [...COMPILED, "--conditions=framework-bundle"];

function optionsFor(code: string, folder: string): readonly string[] {
  if (!isCompiled) return FROM_SOURCE;
  return isInternal(code, folder) ? COMPILED : ON_BUNDLE;
}

/** Arguments of Node.js that run a TypeScript file, given from the root of the repository. */
export function programArguments(file: string, ...args: readonly string[]): string[] {
  if (isCompiled && IN_PACKAGE.test(file)) return [...ON_BUNDLE, bundled(file), ...args];
  const module = moduleOf(file);
  return [...optionsFor(readFileSync(module, "utf8"), dirname(module)), module, ...args];
}

/** The file of the bundle that has the command line, or another of its entries. */
const bundled = (file: string): string => moduleOf(file.replace(IN_PACKAGE, "dist/"));

/** Arguments of Node.js that run the text of a module, with `textFolder` as the working directory. */
export const textArguments = (text: string, ...args: readonly string[]): string[] => [
  ...optionsFor(text, moduleRoot),
  "--input-type=module",
  "-e",
  text,
  ...args,
];

/** Where the text of a module finds the package by its name. */
export const textFolder = moduleRoot;

/** This process's environment without the variables that configure a framework program. */
export const bareEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("FRAMEWORK_")));
