import { tamedController } from "#core/bus/tamed-controller.js";
import { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";

const REPORT = "A listener of a verification's signal threw";

/** One asynchronous verification, shared by all requests with its token. */
export class CachedVerification implements Verification {
  readonly key: string;
  /** Start, by the cache's clock. */
  readonly from: number;
  /** Number of forgotten subjects at its start. */
  readonly forgottenBefore: number;
  #controller: AbortController | undefined;
  #waiting = 0;

  constructor(key: string, from: number, forgottenBefore: number) {
    this.key = key;
    this.from = from;
    this.forgottenBefore = forgottenBefore;
  }

  /** Aborts when no caller waits any more: an aborted caller does not stop it for the others. */
  get signal(): AbortSignal {
    this.#controller ??= tamedController(REPORT);
    return this.#controller.signal;
  }

  /** The result of `answer`, or an error if `signal` aborts before it. The last waiting caller to leave calls `abandon`. */
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
