import { compileSchema, type Validator } from "#schema/compile/validator.js";
import { shown } from "./key.js";
import { keys, type NamedKey } from "./keys.js";
import { type ConfigMistake, cut } from "./mistake.js";
import type { Origin } from "./origin.js";

/** The values of the layers so far: the last layer that sets a key wins. */
export class Given {
  readonly mistakes: ConfigMistake[] = [];
  readonly #values = new Map<string, Effective>();
  readonly #wrong = new Set<string>();

  set(key: NamedKey, value: unknown, origin: Origin): void {
    this.#values.set(key.path, { value, origin });
    this.#wrong.delete(key.path);
  }

  /** The last layer set the key to an invalid value. */
  setWrong(key: NamedKey): void {
    this.#wrong.add(key.path);
  }

  isWrong(path: string): boolean {
    return this.#wrong.has(path);
  }

  get(path: string): Effective | undefined {
    return this.#values.get(path);
  }
}

/** A value and its layer. */
export interface Effective {
  readonly value: unknown;
  readonly origin: Origin;
}

// Compiled on demand: most programs set a handful of keys.
const validators = new Map<NamedKey, Validator>();

/** What is wrong with a value and its remedy; undefined if it is valid. */
export function wrongWith(
  key: NamedKey,
  value: unknown,
): { readonly problem: string; readonly remedy: string } | undefined {
  let validator = validators.get(key);
  if (validator === undefined) {
    validator = compileSchema(key.schema, { owner: `Key '${key.path}'`, origin: "json" });
    validators.set(key, validator);
  }
  const misfit = validator.check(value) ? key.misfit(value) : value;
  if (misfit === undefined) return undefined;
  return { problem: problemOf(key, value, misfit), remedy: `it must be ${key.expected}` };
}

function problemOf(key: NamedKey, value: unknown, misfit: unknown): string {
  if (!key.secret) return `${Object.is(misfit, value) ? "is" : "has"} ${cut(shown(misfit))}`;
  if (typeof value !== "string") return key.schema["type"] === "string" ? "is no text" : "is not accepted";
  return value === "" ? "is empty" : "is not accepted";
}

/** For `nearest`: the sections and the keys. */
export const knownPaths = [...new Set(keys.map((key) => key.section))]
  .map((section) => ({ name: section as string, tail: section as string }))
  .concat(keys.map((key) => ({ name: key.path, tail: key.name })));

/** For `nearest`: the variables. */
export const knownVariables = keys.map((key) => ({ name: key.variable, tail: key.name }));
