/** Statuses of temporary failures: a retry of the same request may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** True if a response of this status is not stored under an idempotency key. */
export const isPassing = (status: number): boolean => status >= 500 || PASSING.has(status);
