import { type Clock, monotonicMs } from "#core/clock.js";

/** Time for what is asked of other servers: a process that is done does not wait for it. */
export const backgroundClock: Clock = {
  now: monotonicMs,
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};
