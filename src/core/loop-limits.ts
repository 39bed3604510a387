/** A synchronous step that takes longer holds up every other request: it is reported. */
export const BLOCKED_FROM_MS = 50;

/** A synchronous call that takes longer may be worth a thread of its own. */
export const LONG_CALL_US = 1000;
