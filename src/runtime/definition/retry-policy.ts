import type { ErrorOf } from "#core/bus/outcome-types.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";

interface Backoff {
  readonly initialMs: number;
  /** 1 for a fixed delay. */
  readonly multiplier: number;
  readonly maxMs: number;
}

interface RetryOptions {
  readonly maxRetries: number;
  readonly backoff: Backoff;
  readonly random?: () => number;
  readonly wants?: (error: unknown) => boolean;
  readonly deadlineMs: number;
}

/** The key under which a policy's type has the fault codes it tests for. Never present at run time. */
declare const sought: unique symbol;

/** Tests a fault. `C` are the codes that it tests for. */
export interface FaultTest<out C extends string> {
  (error: unknown): boolean;
  readonly codes: readonly C[];
}

/** For `retryIf`: faults with one of these codes. If the step's faults have literal types as codes, another code does not compile. */
export const hasCode = <const C extends string>(...codes: readonly [C, ...C[]]): FaultTest<C> =>
  Object.assign(
    (error: unknown) => codes.includes((error as { readonly code?: C } | null | undefined)?.code as C),
    { codes },
  );

type CodeOf<E> = unknown extends E ? string : E extends { readonly code: infer C extends string } ? C : never;

/** The codes of faults with which a try that returns R can end, including the runtime's own. */
export type RetriedCode<R> = CodeOf<ErrorOf<R>> | RuntimeFault["code"];

/**
 * How often a step is retried after a fault, and when. Immutable: each call returns a new policy.
 * `C` are the codes that {@link hasCode} tests for: the step's faults must be able to have them.
 */
export class RetryPolicy<out C extends string = never> {
  declare readonly [sought]: () => C;
  readonly maxRetries: number;
  readonly #options: RetryOptions;

  private constructor(options: RetryOptions) {
    this.maxRetries = options.maxRetries;
    this.#options = options;
  }

  /** Waits `delayMs` before each retry; 0 retries at once. */
  static fixed(maxRetries: number, delayMs: number): RetryPolicy {
    const call = `RetryPolicy.fixed(${maxRetries}, ${delayMs})`;
    return RetryPolicy.#of(call, maxRetries, { initialMs: delayMs, multiplier: 1, maxMs: delayMs });
  }

  /** Waits `initialMs`, then `multiplier` times as long before each further retry, at most `maxMs`. */
  static exponential(maxRetries: number, initialMs: number, multiplier: number, maxMs: number): RetryPolicy {
    const call = `RetryPolicy.exponential(${maxRetries}, ${initialMs}, ${multiplier}, ${maxMs})`;
    if (!(multiplier >= 1 && Number.isFinite(multiplier)))
      throw invalidOption(call, "multiplier must be a number from 1");
    if (!(maxMs >= initialMs)) throw invalidOption(call, "maxMs must be at least initialMs");
    return RetryPolicy.#of(call, maxRetries, { initialMs, multiplier, maxMs });
  }

  /** Doubles from `initialMs` up to 30 s. */
  static exponentialDefault(maxRetries: number, initialMs: number): RetryPolicy {
    return RetryPolicy.exponential(maxRetries, initialMs, 2, 30_000);
  }

  static #of(call: string, maxRetries: number, backoff: Backoff): RetryPolicy {
    if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
      throw invalidOption(call, "maxRetries must be a whole number from 0");
    requireTime(call, backoff.initialMs);
    requireTime(call, backoff.maxMs);
    return new RetryPolicy({ maxRetries, backoff, deadlineMs: Number.POSITIVE_INFINITY });
  }

  /** Waits a random part of each delay, so that runs that failed together do not retry together. */
  withJitter(random: () => number = Math.random): RetryPolicy<C> {
    return new RetryPolicy({ ...this.#options, random });
  }

  /** Retries only faults for which `wants` returns true. A thrown error is the `cause` of a TRANSITION_PANIC. */
  retryIf<W extends string>(wants: FaultTest<W>): RetryPolicy<W>;
  retryIf(wants: (error: unknown) => boolean): RetryPolicy;
  retryIf(wants: (error: unknown) => boolean): RetryPolicy<string> {
    return new RetryPolicy({ ...this.#options, wants });
  }

  /** Begins no further try more than `ms` milliseconds after the first began. */
  deadline(ms: number): RetryPolicy<C> {
    requireTime(`deadline(${ms})`, ms);
    return new RetryPolicy({ ...this.#options, deadlineMs: ms });
  }

  /** Delay before retry `n` (from 1), in milliseconds; undefined to give up. `elapsedMs` is the time since the first try. */
  delayBefore(n: number, error: unknown, elapsedMs: number): number | undefined {
    const { maxRetries, backoff, random, wants, deadlineMs } = this.#options;
    if (n > maxRetries || wants?.(error) === false) return undefined;
    const whole = Math.min(backoff.initialMs * backoff.multiplier ** (n - 1), backoff.maxMs);
    const delay = random === undefined ? whole : whole * random();
    return elapsedMs + delay > deadlineMs ? undefined : delay;
  }

  /** For drawing: JSON. */
  describe(): { readonly max_retries: number; readonly backoff: string } {
    const { backoff, random, wants, deadlineMs } = this.#options;
    const { initialMs, multiplier, maxMs } = backoff;
    const parts = [
      multiplier === 1 ? `${initialMs} ms` : `${initialMs} ms times ${multiplier} up to ${maxMs} ms`,
      ...(random === undefined ? [] : ["jitter"]),
      ...(wants === undefined ? [] : ["some faults"]),
      ...(deadlineMs === Number.POSITIVE_INFINITY ? [] : [`within ${deadlineMs} ms`]),
    ];
    return { max_retries: this.maxRetries, backoff: parts.join(", ") };
  }
}

/** Throws CONFIG_INVALID for untyped callers: a value that is not a policy would never retry. */
export function requireRetryPolicy(whose: string, policy: RetryPolicy<string>): void {
  if (typeof policy?.delayBefore === "function") return;
  throw invalidOption(`The retry of ${whose} is no RetryPolicy`, "make one, as in RetryPolicy.fixed(3, 100)");
}

function requireTime(call: string, ms: number): void {
  if (ms >= 0 && ms <= MAX_TIMER_MS) return;
  throw invalidOption(call, `times are milliseconds from 0 to ${MAX_TIMER_MS}`);
}
