import { FrameworkError } from "#core/errors.js";

/** Runs `compile` and prefixes its errors with the owner of the schema: "Axon 'orders', input". */
export function withErrorOwner<T>(owner: string, compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    const code = cause instanceof FrameworkError ? cause.code : "SCHEMA_INVALID";
    throw new FrameworkError(code, `${owner}: ${(cause as Error).message}`, { cause });
  }
}
