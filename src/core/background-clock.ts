import { type Clock, monotonicMs } from "./clock.js";

/** Time for work in the background: a process that is done does not wait for it. */
export const backgroundClock: Clock = {
  now: monotonicMs,
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};
