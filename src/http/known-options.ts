// What untyped programs get wrong in options. A name that nobody reads would do nothing,
// and say nothing of it.

import { didYouMean, nearest } from "#config/nearest.js";
import { FrameworkError } from "#core/errors.js";

const invalid = (problem: string): FrameworkError => new FrameworkError("CONFIG_INVALID", problem);

/** The names of an interface's options: the compiler sees that none is missing. */
export const namesOf = <O extends object>(names: Readonly<Record<keyof O, true>>): readonly string[] =>
  Object.keys(names);

/** Throws CONFIG_INVALID for what has no options, and for an option that is none of `known`. */
export function requireKnown(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalid(`The options of ${where} are ${shown(options)}: write them as { ${known[0]}: ... }`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = didYouMean(
    nearest(
      unknown,
      unknown,
      known.map((name) => ({ name, tail: name })),
    ),
  );
  throw invalid(`${where} has no option '${unknown}': ${meant || `there are ${known.join(", ")}`}`);
}

/** Throws CONFIG_INVALID where one of these options is there and is no list. */
export function requireLists<O extends object>(
  where: string,
  options: O,
  names: readonly (keyof O & string)[],
): void {
  for (const name of names) {
    const value = options[name];
    if (value === undefined || Array.isArray(value)) continue;
    throw invalid(`${name} of ${where} is no list but ${shown(value)}: write ${name}: [...]`);
  }
}

/** Throws CONFIG_INVALID where one of these options is there and is no function. */
export function requireFunctions<O extends object>(
  where: string,
  options: O,
  names: readonly (keyof O & string)[],
): void {
  for (const name of names)
    if (options[name] !== undefined) requireFunction(`${name} of ${where}`, options[name]);
}

/** Throws CONFIG_INVALID for what cannot be called. */
export function requireFunction(what: string, value: unknown): void {
  if (typeof value !== "function") throw invalid(`${what} is no function but ${shown(value)}`);
}

/** Never a value: it may be a secret in the wrong place. */
const shown = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "undefined";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
};

/** Throws CONFIG_INVALID where an untyped program has given several: it would go without the others, and not know. */
export function requireNoOthers(call: string, others: readonly unknown[]): void {
  if (others.length > 0) throw invalid(`${call} takes one: call it for each`);
}
