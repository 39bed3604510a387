import type { AnyTransition } from "#core/transition.js";
import type { RetryPolicy } from "./retry-policy.js";

/** What is undone when a run ends with a fault. */
export class SagaPolicy {
  readonly isEnabled: boolean;
  /** How often a compensation is tried again, where it says nothing itself. */
  readonly retry: RetryPolicy | undefined;

  private constructor(isEnabled: boolean, retry: RetryPolicy | undefined) {
    this.isEnabled = isEnabled;
    this.retry = retry;
  }

  /** Completed compensated steps are undone, the last first. The default as soon as a step is compensated. */
  static enabled(options: { readonly retry?: RetryPolicy } = {}): SagaPolicy {
    return new SagaPolicy(true, options.retry);
  }

  /** Nothing is undone. */
  static disabled(): SagaPolicy {
    return new SagaPolicy(false, undefined);
  }
}

/** What undoes a step: it gets what the step got and what it answered. */
export interface Compensation {
  readonly transition: AnyTransition;
  readonly retry: RetryPolicy | undefined;
}

/** What a compensation is given. */
export interface Done<In, Out> {
  readonly input: In;
  readonly output: Out;
}
