/** Time source of a run. Tests pass their own. */
export interface Clock {
  readonly now: () => number;
  /** Calls `then` once after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** Maximum delay of a Node.js timer: a longer delay would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

// The global is an accessor, which costs a third of reading the time.
const { performance } = globalThis;

/** Monotonic time in milliseconds, with fractions: `performance.now()`. */
export const monotonicMs = (): number => performance.now();

export const systemClock: Clock = {
  now: monotonicMs,
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
