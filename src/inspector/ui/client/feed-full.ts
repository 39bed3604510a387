import { FULL_WAIT_MS } from "./connection.js";

/** Explains the limit and the remedy. */
export const FEED_FULL = `The live feed is at its limit of connections; viewers may use half of them. Close an unused page: this one connects within ${FULL_WAIT_MS / 1000}\u00a0s. Until then it polls, and Runs lists completed runs.`;
