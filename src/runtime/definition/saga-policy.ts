import type { BareBus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyTransition, Transition } from "#core/flow/transition.js";
import { requireKnownOptions } from "#core/invalid-option.js";
import { type RetryPolicy, requireRetryPolicy } from "./retry-policy.js";

export interface SagaOptions {
  /** The retries of a compensation without its own. Default: none. */
  readonly retry?: RetryPolicy<string>;
  /** Time limit of one try of a compensation, in milliseconds; the try then counts as failed. Default 30 000. */
  readonly timeoutMs?: number;
}

/** Which steps are undone when a run ends with a fault. */
export class SagaPolicy {
  readonly isEnabled: boolean;
  readonly retry: RetryPolicy<string> | undefined;
  readonly timeoutMs: number | undefined;

  private constructor(isEnabled: boolean, { retry, timeoutMs }: SagaOptions) {
    this.isEnabled = isEnabled;
    this.retry = retry;
    this.timeoutMs = timeoutMs;
  }

  /** Completed compensated steps are undone, the last first. The default as soon as a step is compensated. */
  static enabled(options: SagaOptions = {}): SagaPolicy {
    requireKnownOptions("SagaPolicy.enabled", options, ["retry", "timeoutMs"]);
    const { timeoutMs = 1, retry } = options;
    if (retry !== undefined) requireRetryPolicy("SagaPolicy.enabled", retry);
    if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS)) {
      const call = `SagaPolicy.enabled({ timeoutMs: ${timeoutMs} })`;
      throw new FrameworkError("CONFIG_INVALID", `${call}: milliseconds above 0, at most ${MAX_TIMER_MS}`);
    }
    return new SagaPolicy(true, options);
  }

  /** Nothing is undone. */
  static disabled(): SagaPolicy {
    return new SagaPolicy(false, {});
  }
}

/** Undoes a step: receives the step's input and its answer. */
export interface Compensation {
  readonly transition: AnyTransition;
  /** True if it was given as a function, which cannot declare its reads. */
  readonly isBare: boolean;
  readonly retry: RetryPolicy<string> | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Done<In, Out> {
  readonly input: In;
  readonly output: Out;
}

/** Undoes a step: a function of the step's input and answer, or a step that takes both. */
export type Undo<In, Out, Rd extends AnyKey> =
  | ((done: Done<In, Out>, bus: BareBus) => unknown)
  | Transition<Done<In, Out>, unknown, Rd>;

export interface CompensationOptions {
  /** The retries of the compensation. Default: as the saga's policy says. */
  readonly retry?: RetryPolicy<string>;
}

export interface CompensatedOptions extends CompensationOptions {
  /** The retries and the time limit of the step itself, not of its compensation. */
  readonly step?: { readonly retry?: RetryPolicy<string>; readonly timeoutMs?: number };
}
