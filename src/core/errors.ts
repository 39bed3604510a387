/**
 * Errors the framework throws. A throw means the program is wrong: a missing
 * wiring, an invalid option. What a caller can cause is returned as a Fault.
 */

import type { ThrownCode } from "./error-codes.js";

export class FrameworkError extends Error {
  override readonly name: string = "FrameworkError";
  /** Stable: log queries and tests match on this, never on the message. */
  readonly code: ThrownCode;

  constructor(code: ThrownCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A step asked with `get` for a key that has no value. */
export class BusValueMissingError extends FrameworkError {
  override readonly name = "BusValueMissingError";
  readonly key: string;
  /** Known once the exception has left the step. */
  step: string | undefined;

  constructor(key: string) {
    super("BUS_VALUE_MISSING", missing("A step", key));
    this.key = key;
  }

  /** Names the step in the message. */
  inStep(step: string): this {
    this.step = step;
    this.message = missing(`Step '${step}'`, this.key);
    return this;
  }
}

const missing = (who: string, key: string): string =>
  `${who} read '${key}', which has no value: write it in an earlier step, provide it, or read it with find()`;
