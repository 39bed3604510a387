import { FrameworkError } from "#core/errors.js";

/** `shown` is the store's URL without its password. */
export const storeUnavailable = (shown: string, cause: unknown): FrameworkError =>
  cause instanceof FrameworkError
    ? cause
    : new FrameworkError("STORE_UNAVAILABLE", `${shown}: ${wordsOf(cause)}`, { cause });

/** An error of several addresses that were tried has no message, but a code. */
const wordsOf = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message || String((cause as { readonly code?: unknown }).code)
    : String(cause);
