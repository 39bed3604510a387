import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { AnyKey, NameOfKey, TypeOfKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { NoKeys } from "#core/flow/named-keys.js";
import { invalidOption } from "#core/invalid-option.js";

declare const exportsOf: unique symbol;

/** A module for the threads of the pool. The main thread knows its URL and its types, and never loads it. */
export interface WorkerModule<M> {
  /** A file: URL, as it was given. */
  readonly url: string;
  readonly [exportsOf]?: M;
}

/**
 * Names a module of functions for the pool:
 * `workerModule<typeof import("./work.js")>(new URL("./work.js", import.meta.url))`. The same text
 * works for TypeScript sources under tsx and for built JavaScript. Throws WORKER_MODULE_MISSING.
 */
export function workerModule<M>(url: URL): WorkerModule<M> {
  if (!(url instanceof URL) || url.protocol !== "file:") {
    const remedy = 'give it the place of a file: new URL("./work.js", import.meta.url)';
    throw invalidOption("workerModule", remedy);
  }
  requireFile(fileURLToPath(url));
  return Object.freeze({ url: url.href });
}

/** Sources are named by their build output: "./work.js" for work.ts. */
function requireFile(file: string): void {
  const sources = ["ts", "tsx"].map((extension) => file.replace(/\.([cm]?)jsx?$/, `.$1${extension}`));
  if ([file, ...sources].some((name) => existsSync(name))) return;
  throw new FrameworkError(
    "WORKER_MODULE_MISSING",
    `workerModule: there is no file ${file}: mend the path, or, where a bundler puts modules together, make this one an entry point of its own`,
  );
}

/** Values of the Bus that a step sends to its worker, by the names of the keys. */
export type ReadByName<Rd extends readonly AnyKey[]> = {
  readonly [K in Rd[number] as NameOfKey<K>]: TypeOfKey<K>;
};

/** Names of the module's functions that accept the input and the values read. */
export type FunctionOf<M, Rd extends readonly AnyKey[], U = NoKeys> = {
  [K in keyof M & string]: M[K] extends (
    input: never,
    read: ReadByName<Rd> & { readonly [N in keyof U]: TypeOfKey<U[N]> },
  ) => unknown
    ? K
    : never;
}[keyof M & string];

export type InputOf<F> = F extends (input: infer In, ...rest: never) => unknown ? In : never;
export type AnswerOf<F> = F extends (...given: never) => infer R ? Awaited<R> : never;
