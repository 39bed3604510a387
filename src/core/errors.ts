/**
 * Errors that the framework throws. A thrown error means the program is wrong: missing wiring,
 * an invalid option. A failure that a caller can cause is returned as a Fault.
 */

import type { ThrownCode } from "./error-codes.js";
import { interned } from "./interned.js";

class FrameworkError extends Error {
  override readonly name: string = "FrameworkError";
  /** Stable. Match log queries and tests on this, never on the message. */
  readonly code: ThrownCode;

  constructor(code: ThrownCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

// Copies of the package share the class, so that `instanceof` works between them.
const SharedFrameworkError = interned("FrameworkError", () => FrameworkError);
type SharedFrameworkError = FrameworkError;

/** A step called `get` for a key that has no value. */
class BusValueMissingError extends SharedFrameworkError {
  override readonly name = "BusValueMissingError";
  readonly key: string;
  /** Set when the exception has left the step. */
  step: string | undefined;

  constructor(key: string) {
    super("BUS_VALUE_MISSING", missing("A step", key));
    this.key = key;
  }

  inStep(step: string): this {
    this.step = step;
    this.message = missing(`Step '${step}'`, this.key);
    return this;
  }
}

const SharedBusValueMissingError = interned("BusValueMissingError", () => BusValueMissingError);
type SharedBusValueMissingError = BusValueMissingError;

export { SharedBusValueMissingError as BusValueMissingError, SharedFrameworkError as FrameworkError };

const missing = (who: string, key: string): string =>
  `${who} read '${key}', which has no value: write it in an earlier step, provide it, or read it with find()`;
