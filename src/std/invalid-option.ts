import { FrameworkError } from "#core/errors.js";

/** The error of a node made with an option it cannot work with: the call, and what would be right. */
export const invalidOption = (call: string, remedy: string, cause?: unknown): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `${call}: ${remedy}`, cause === undefined ? undefined : { cause });
