import type { Verification } from "./iam-verifier.js";
import { tamedController } from "./tamed-controller.js";

/** What a run tells of its abort. Asked only where the verifier asks. */
interface Abortable {
  readonly signal: AbortSignal;
}

const REPORT = "A listener of a verification's signal threw";

/** One call of a verifier. Most never ask for the signal: an AbortController costs 387 B. */
export class RunVerification implements Verification {
  readonly #run: Abortable;
  #controller: AbortController | undefined = undefined;
  /** Why nobody waits for it any longer. */
  #over: Error | undefined = undefined;

  constructor(run: Abortable) {
    this.#run = run;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = tamedController(REPORT);
      if (this.#over === undefined) this.#follow(this.#controller);
      else this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Nobody waits for it any longer. Who has the signal still is told so. */
  end(why: Error): void {
    this.#over = why;
    this.#controller?.abort(why);
  }

  /** It has answered: there is nothing to stop. */
  answered(): void {
    this.#over = ANSWERED;
  }

  #follow(controller: AbortController): void {
    const { signal } = this.#run;
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: controller.signal });
  }
}

const ANSWERED = new Error("The verifier has answered");
