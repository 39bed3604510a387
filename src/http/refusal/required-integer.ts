import { configInvalid } from "./invalid.js";

/** Returns `value`. Throws CONFIG_INVALID if it is not a whole number from `min` to `max`. */
export function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw configInvalid(`${name} is ${value}: use a whole number from ${min} to ${max}`);
}
