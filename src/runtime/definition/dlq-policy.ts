import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import { RetryPolicy } from "./retry-policy.js";

/** Where the dead letters of a node go, and which. */
export interface LetterBox {
  readonly sink: DeadLetterSink;
  readonly policy: DlqPolicy | undefined;
}

/** What becomes of a run that ends with a fault. */
export class DlqPolicy {
  readonly kind: "drop" | "send";
  /** For steps that have no retries of their own. */
  readonly retry: RetryPolicy<string> | undefined;
  readonly #wants: ((error: unknown) => boolean) | undefined;

  private constructor(
    kind: "drop" | "send",
    retry?: RetryPolicy<string>,
    wants?: (error: unknown) => boolean,
  ) {
    this.kind = kind;
    this.retry = retry;
    this.#wants = wants;
  }

  /** Sends nothing. */
  static drop(): DlqPolicy {
    return new DlqPolicy("drop");
  }

  /** Sends each fault that ends a run. The default where a sink is given. */
  static send(): DlqPolicy {
    return new DlqPolicy("send");
  }

  /** Tries each step again as `retry` says, and sends what it gives up on. */
  static retryThenSend(retry: RetryPolicy<string>): DlqPolicy {
    if (!(retry instanceof RetryPolicy))
      throw new FrameworkError("CONFIG_INVALID", "DlqPolicy.retryThenSend takes a RetryPolicy");
    return new DlqPolicy("send", retry);
  }

  /** Sends those faults of steps alone for which `wants` answers true; a compensation that fails in any case. */
  sendIf(wants: (error: unknown) => boolean): DlqPolicy {
    if (typeof wants !== "function")
      throw new FrameworkError("CONFIG_INVALID", "sendIf of a DlqPolicy takes a function of the error");
    return new DlqPolicy(this.kind, this.retry, wants);
  }

  /** One whose `wants` throws is sent: better a letter too many. */
  sends(error: unknown): boolean {
    try {
      const wanted: unknown = this.#wants?.(error);
      // An asynchronous one is too late, whatever it comes to.
      if (wanted instanceof Promise) wanted.catch(() => {});
      return wanted !== false;
    } catch {
      return true;
    }
  }

  /** Whether a fault is worth a letter: not one that the caller or an abort caused. */
  static wants(error: unknown): boolean {
    return !isRuntimeFault(error) || (error.code !== "RUN_ABORTED" && error.code !== "INPUT_INVALID");
  }
}
