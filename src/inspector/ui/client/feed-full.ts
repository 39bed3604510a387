import { FULL_WAIT_MS } from "./connection.js";

/** Explains the limit and the remedy. */
export const FEED_FULL = `As many pages listen to the live feed as the server takes, viewers' pages half of them at most. Close one that nobody looks at: a place that is free is taken within ${FULL_WAIT_MS / 1000}\u00a0s. Until then figures are asked for, and Runs lists what has run.`;
