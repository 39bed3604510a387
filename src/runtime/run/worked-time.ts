// How long an offloaded step has been at work: its time limit does not count what it waits for a thread.

type WorkedMs = () => number | undefined;

/** By the signal of the step's Bus, which the step and its time limit both have. */
const known = new WeakMap<AbortSignal, WorkedMs>();

/** `workedMs` returns undefined while the work has not begun. */
export const countWorked = (signal: AbortSignal, workedMs: WorkedMs): void =>
  void known.set(signal, workedMs);

/** Milliseconds, 0 before the work begins; undefined if the step counts none. */
export const workedMs = (signal: AbortSignal): number | undefined => {
  const count = known.get(signal);
  return count === undefined ? undefined : (count() ?? 0);
};
