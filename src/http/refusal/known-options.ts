// Checks options of untyped programs: a misspelt one would have no effect.

import { didYouMean, nearest } from "#core/nearest.js";
import { configInvalid } from "./invalid.js";

/** The names of an interface's options, as a table; complete by type. */
export const namesOf = <O extends object>(names: Readonly<Record<keyof O, true>>): readonly string[] =>
  Object.keys(names);

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** The same, as words. */
export const optionNames =
  <O extends object>() =>
  <S extends string>(
    ...words: (S & ([keyof O, Words<S>] extends [Words<S>, keyof O] ? unknown : "not its names"))[]
  ): readonly string[] =>
    words.join(" ").split(" ");

/** Throws CONFIG_INVALID for a value that is no object, and for unknown options. */
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

/** Throws CONFIG_INVALID where one of these options is no list. */
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

/** Throws CONFIG_INVALID where one of these options is no function. */
export function requireFunctions<O extends object>(
  where: string,
  options: O,
  names: readonly (keyof O & string)[],
): void {
  for (const name of names)
    if (options[name] !== undefined) requireFunction(`${name} of ${where}`, options[name]);
}

/** Throws CONFIG_INVALID. */
export function requireFunction(what: string, value: unknown): void {
  if (typeof value !== "function") throw configInvalid(`${what} is no function but ${shown(value)}`);
}

/** Without the value, which may be a secret. */
const shown = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "undefined";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
};

/** Throws CONFIG_INVALID for further arguments. */
export function requireNoOthers(call: string, others: readonly unknown[]): void {
  if (others.length > 0) throw configInvalid(`${call} takes one: call it for each`);
}
