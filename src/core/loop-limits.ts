/** A synchronous step that takes longer is reported: it delays all other requests. */
export const BLOCKED_FROM_MS = 50;

/** A synchronous call that takes longer may justify a worker thread. */
export const LONG_CALL_US = 1000;
