import { FrameworkError } from "#core/errors.js";

/** START_FAILED with its reason. Of what was thrown and is no error nothing is quoted: nobody knows what it holds. */
export const startFailure = (what: string, cause: unknown): FrameworkError =>
  new FrameworkError("START_FAILED", `${what}: ${cause instanceof Error ? cause.message : "see the cause"}`, {
    cause,
  });
