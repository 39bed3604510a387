// How programs of the repository are started in processes of their own: compiled where
// the tests run compiled, else from source by tsx. Compiled they run on the bundle of the
// package, unless they import its internals.

import { readFileSync } from "node:fs";

import { isCompiled, moduleOf, moduleRoot } from "./root.js";

const INTERNAL_IMPORT = /\b(?:from|import)\s*\(?\s*"(?:#|(?:\.\.\/)+src\/)/;

const IN_PACKAGE = /^src\//;

const ON_BUNDLE = "--conditions=framework-bundle";

function optionsFor(code: string): readonly string[] {
  if (!isCompiled) return ["--conditions=framework-source", "--import", import.meta.resolve("tsx")];
  return INTERNAL_IMPORT.test(code) ? ["--enable-source-maps"] : ["--enable-source-maps", ON_BUNDLE];
}

/** Arguments of Node.js that run a TypeScript file, given from the root of the repository. */
export function programArguments(file: string, ...args: readonly string[]): string[] {
  const module = isCompiled && IN_PACKAGE.test(file) ? bundled(file) : moduleOf(file);
  return [...optionsFor(readFileSync(module, "utf8")), module, ...args];
}

/** The file of the bundle that has the command line, or another of its entries. */
const bundled = (file: string): string => moduleOf(file.replace(IN_PACKAGE, "dist/"));

/** Arguments of Node.js that run the text of a module, with `textFolder` as the working directory. */
export const textArguments = (text: string, ...args: readonly string[]): string[] => [
  ...optionsFor(text),
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
