/** How long the page waits for a busy worker before it leaves the worker out. */
export const USER_WAIT_MS = 1500;

/**
 * How long an operator's action may take in another worker. It is below the request time limit of
 * the Inspector.
 */
export const WORK_WAIT_MS = 25_000;
