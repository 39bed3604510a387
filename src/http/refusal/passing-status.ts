/** The same request may be answered otherwise later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether a response of this status is not kept under an idempotency key. */
export const isPassing = (status: number): boolean => status >= 500 || PASSING.has(status);
