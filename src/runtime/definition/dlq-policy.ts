import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import { RetryPolicy } from "./retry-policy.js";

/** The sink for dead letters of a node, and their filter. */
export interface LetterBox {
  readonly sink: DeadLetterSink;
  readonly policy: DlqPolicy | undefined;
}

/** The treatment of a run that ends with a fault. */
export class DlqPolicy {
  readonly kind: "drop" | "send";
  /** For steps without their own retries. */
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

  /** Sends each fault that ends a run. The default if a sink is given. */
  static send(): DlqPolicy {
    return new DlqPolicy("send");
  }

  /** Retries each step as `retry` says, and sends the faults that remain. */
  static retryThenSend(retry: RetryPolicy<string>): DlqPolicy {
    if (!(retry instanceof RetryPolicy))
      throw new FrameworkError("CONFIG_INVALID", "DlqPolicy.retryThenSend takes a RetryPolicy");
    return new DlqPolicy("send", retry);
  }

  /** Sends only those step faults for which `wants` returns true; a failed compensation is always sent. */
  sendIf(wants: (error: unknown) => boolean): DlqPolicy {
    if (typeof wants !== "function")
      throw new FrameworkError("CONFIG_INVALID", "sendIf of a DlqPolicy takes a function of the error");
    return new DlqPolicy(this.kind, this.retry, wants);
  }

  /** If `wants` throws, the letter is sent: an extra letter is better than a lost one. */
  sends(error: unknown): boolean {
    try {
      const wanted: unknown = this.#wants?.(error);
      // An asynchronous result is too late: its value is ignored.
      if (wanted instanceof Promise) wanted.catch(() => {});
      return wanted !== false;
    } catch {
      return true;
    }
  }

  /**
   * True if a fault deserves a letter: it was caused neither by the caller nor by an abort. A
   * cancelled run has one if the work of one of its steps may stand.
   */
  static wants(error: unknown): boolean {
    if (!isRuntimeFault(error)) return true;
    const { code } = error;
    if (code === "RUN_CANCELLED") return error.uncertain !== undefined;
    return code !== "RUN_ABORTED" && code !== "INPUT_INVALID";
  }
}
