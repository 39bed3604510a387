import { invalidOption } from "#core/invalid-option.js";

/** The value itself. Throws CONFIG_INVALID where it is no whole number from `min` to `max`. */
export function requireWhole(call: string, name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw invalidOption(call, `${name} must be a whole number from ${min} to ${max}`);
}
