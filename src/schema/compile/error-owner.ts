import { FrameworkError } from "#core/errors.js";

/** What `compile` makes of a schema; what it throws says whose schema that is: "Axon 'orders', input". */
export function withErrorOwner<T>(owner: string, compile: () => T): T {
  try {
    return compile();
  } catch (cause) {
    const code = cause instanceof FrameworkError ? cause.code : "SCHEMA_INVALID";
    throw new FrameworkError(code, `${owner}: ${(cause as Error).message}`, { cause });
  }
}
