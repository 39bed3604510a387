import { FrameworkError } from "./errors.js";

/** The error of a node with an invalid option: the call and the remedy. */
export const invalidOption = (call: string, remedy: string, cause?: unknown): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `${call}: ${remedy}`, cause === undefined ? undefined : { cause });

/** Returns the value. Throws CONFIG_INVALID if it is no whole number from `min` to `max`. */
export function requireWhole(call: string, name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalidOption(call, `${name} must be a whole number from ${min} to ${max}`);
}

/** Throws CONFIG_INVALID for an option that is not in `known`. A misspelt option would have no effect. */
export function requireKnownOptions(call: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw invalidOption(call, `give its options as an object, of ${known.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalidOption(call, `'${unknown}' is no option; there are ${known.join(", ")}`);
}
