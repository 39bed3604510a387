// How programs of the repository are started in processes of their own: compiled where
// the tests run compiled, else from source by tsx.

import { isCompiled, moduleOf, moduleRoot } from "./root.js";

const OPTIONS: readonly string[] = isCompiled
  ? ["--enable-source-maps"]
  : ["--conditions=framework-source", "--import", import.meta.resolve("tsx")];

/** Arguments of Node.js that run a TypeScript file, given from the root of the repository. */
export const programArguments = (file: string, ...args: readonly string[]): string[] => [
  ...OPTIONS,
  moduleOf(file),
  ...args,
];

/** Arguments of Node.js that run the text of a module, with `textFolder` as the working directory. */
export const textArguments = (text: string, ...args: readonly string[]): string[] => [
  ...OPTIONS,
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
