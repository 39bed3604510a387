// Checks options that TypeScript did not check: a misspelt option would have no effect.

import { FrameworkError } from "#core/errors.js";
import { didYouMean, nearest } from "#core/nearest.js";

export const configInvalid = (message: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", message);

export const routeInvalid = (message: string): FrameworkError => new FrameworkError("ROUTE_INVALID", message);

/** Returns `value`. Throws CONFIG_INVALID if it is not a whole number from `min` to `max`. */
export function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw configInvalid(`${name} is ${value}: use a whole number from ${min} to ${max}`);
}

/** The option names of an interface, from a table. The type requires every name. */
export const namesOf = <O extends object>(names: Readonly<Record<keyof O, true>>): readonly string[] =>
  Object.keys(names);

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The option names of an interface, from texts of words. The type requires every name. */
export const optionNames =
  <O extends object>() =>
  <S extends string>(
    ...words: (S & ([keyof O, Words<S>] extends [Words<S>, keyof O] ? unknown : "not its names"))[]
  ): readonly string[] =>
    words.join(" ").split(" ");

/** Throws CONFIG_INVALID if `options` is not an object, or for an unknown option. */
export function requireKnown(where: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw configInvalid(`The options of ${where} are ${shown(options)}: write them as { ${known[0]}: ... }`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = didYouMean(
    nearest(
      unknown,
      unknown,
      known.map((name) => ({ name, tail: name })),
    ),
  );
  throw configInvalid(`${where} has no option '${unknown}': ${meant || `there are ${known.join(", ")}`}`);
}

/** Throws CONFIG_INVALID if one of these options is not a list. */
export function requireLists<O extends object>(
  where: string,
  options: O,
  names: readonly (keyof O & string)[],
): void {
  for (const name of names) {
    const value = options[name];
    if (value === undefined || Array.isArray(value)) continue;
    throw configInvalid(`${name} of ${where} is no list but ${shown(value)}: write ${name}: [...]`);
  }
}

/** Throws CONFIG_INVALID if one of these options is not a function. */
export function requireFunctions<O extends object>(
  where: string,
  options: O,
  names: readonly (keyof O & string)[],
): void {
  for (const name of names)
    if (options[name] !== undefined) requireFunction(`${name} of ${where}`, options[name]);
}

/** Throws CONFIG_INVALID if `value` is not a function. */
export function requireFunction(what: string, value: unknown): void {
  if (typeof value !== "function") throw configInvalid(`${what} is no function but ${shown(value)}`);
}

/** Names the type only: the value may be a secret. */
const shown = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "undefined";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
};

/** Throws CONFIG_INVALID if untyped code passes more than one argument. */
export function requireNoOthers(call: string, others: readonly unknown[]): void {
  if (others.length > 0) throw configInvalid(`${call} takes one: call it for each`);
}
