import type { RateLimit } from "#core/rate-limit-store.js";

/** Time that a process may run, and the longest window: every number stays exact for so long. */
const TEN_YEARS_MS = 315_576_000_000;

/**
 * A bucket's numbers in the largest unit in which all of them are integers, so that nothing
 * is ever rounded and nothing drifts: of 1000 requests a minute, a fiftieth of a token.
 */
export interface ExactRate {
  /** Refilled in one millisecond. */
  readonly perMs: number;
  readonly perToken: number;
  /** A full bucket. */
  readonly full: number;
}

/** Undefined where the numbers would get too large to be exact. */
export function exactRate({ capacity, windowMs }: Omit<RateLimit, "cost">): ExactRate | undefined {
  const divisor = greatestCommonDivisor(capacity, windowMs);
  const perMs = capacity / divisor;
  const perToken = windowMs / divisor;
  // The last instant, and a bucket that is empty by then: the greatest number there is.
  const greatest = perMs * (TEN_YEARS_MS + windowMs);
  if (windowMs > TEN_YEARS_MS || greatest > Number.MAX_SAFE_INTEGER) return undefined;
  return { perMs, perToken, full: perToken * capacity };
}

function greatestCommonDivisor(a: number, b: number): number {
  let [greater, lesser] = [a, b];
  while (lesser > 0) [greater, lesser] = [lesser, greater % lesser];
  return greater;
}
