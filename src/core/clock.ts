/** Time as a run sees it. Tests pass their own. */
export interface Clock {
  readonly now: () => number;
  /** Calls `then` once after `ms` milliseconds. Answers what cancels it. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** The longest time a timer of Node.js can wait: beyond it would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

// As a global it is an accessor, which costs a third of what reading the time does.
const { performance } = globalThis;

/** Milliseconds that never go back, with fractions: `performance.now()`. */
export const monotonicMs = (): number => performance.now();

export const systemClock: Clock = {
  now: monotonicMs,
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
