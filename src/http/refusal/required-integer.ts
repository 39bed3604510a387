import { configInvalid } from "./invalid.js";

/** Answers the value. Throws CONFIG_INVALID where it is no whole number between the two. */
export function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw configInvalid(`${name} is ${value}: use a whole number from ${min} to ${max}`);
}
