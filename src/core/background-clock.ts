import { type Clock, monotonicMs } from "./clock.js";

/** Clock for background work: its timers do not keep the process alive. */
export const backgroundClock: Clock = {
  now: monotonicMs,
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};
