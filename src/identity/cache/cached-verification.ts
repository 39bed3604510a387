import { tamedController } from "#core/bus/tamed-controller.js";
import { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";

const REPORT = "A listener of a verification's signal threw";

/** One verification that takes time, for all who send its token meanwhile. */
export class CachedVerification implements Verification {
  readonly key: string;
  /** By the cache's clock. */
  readonly from: number;
  /** How many subjects had been forgotten when it began. */
  readonly forgottenBefore: number;
  #controller: AbortController | undefined;
  #waiting = 0;

  constructor(key: string, from: number, forgottenBefore: number) {
    this.key = key;
    this.from = from;
    this.forgottenBefore = forgottenBefore;
  }

  /** Aborts when nobody waits any more: whoever goes away takes it from no one else. */
  get signal(): AbortSignal {
    this.#controller ??= tamedController(REPORT);
    return this.#controller.signal;
  }

  /** What `answer` comes to, or that there is none where `signal` aborts before. The last who leaves calls `abandon`. */
  wait<T>(answer: Promise<T>, signal: AbortSignal, abandon: () => void): Promise<T | IamError> {
    return new Promise((resolve, reject) => {
      this.#waiting += 1;
      const leave = (): void => {
        resolve(IamError.verifierUnavailable("It was not waited for"));
        this.#waiting -= 1;
        if (this.#waiting > 0) return;
        abandon();
        this.#controller ??= tamedController(REPORT);
        this.#controller.abort(signal.reason);
      };
      const settled = (): void => signal.removeEventListener("abort", leave);
      answer.finally(settled).then(resolve, reject);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }
}
