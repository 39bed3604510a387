import { FrameworkError } from "#core/errors.js";
import { isRuntimeFault } from "#core/runtime-fault.js";
import { RetryPolicy } from "./retry-policy.js";

/** What becomes of a run that ends with a fault: its dead letter is dropped or sent, at once or after retries. */
export class DlqPolicy {
  readonly kind: "drop" | "send";
  /** For steps that have no retries of their own. */
  readonly retry: RetryPolicy | undefined;

  private constructor(kind: "drop" | "send", retry?: RetryPolicy) {
    this.kind = kind;
    this.retry = retry;
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
  static retryThenSend(retry: RetryPolicy): DlqPolicy {
    if (!(retry instanceof RetryPolicy))
      throw new FrameworkError("CONFIG_INVALID", "DlqPolicy.retryThenSend takes a RetryPolicy");
    return new DlqPolicy("send", retry);
  }

  /** Whether a fault is worth a letter: not one that the caller or an abort caused. */
  static wants(error: unknown): boolean {
    return !isRuntimeFault(error) || (error.code !== "RUN_ABORTED" && error.code !== "INPUT_INVALID");
  }
}
