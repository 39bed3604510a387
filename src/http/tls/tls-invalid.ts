import { FrameworkError } from "#core/errors.js";

/** What is wrong with a file, and what to do about it. */
export const tlsInvalid = (file: string, problem: string, remedy: string, cause?: unknown): FrameworkError =>
  new FrameworkError("TLS_INVALID", `${file}: ${problem}; ${remedy}`, { cause });
