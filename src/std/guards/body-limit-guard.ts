import { pass } from "#core/bus/outcome.js";
import { type Guard, MAX_BODY_LIMIT } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";

/**
 * Bounds the bodies of what it stands before: a larger one is 413. The smallest bound of
 * all that stand before a route counts, the route's own among them, or else the ingress's
 * (1 MiB): it lowers that, and never raises it.
 */
export class BodyLimitGuard implements Guard<never> {
  readonly name = "BodyLimitGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly bodyLimit: number;

  /** `maxBytes`: the largest body that is read. Throws CONFIG_INVALID. */
  constructor(maxBytes: number) {
    const remedy = `maxBytes must be a whole number of bytes from 1 to ${MAX_BODY_LIMIT}`;
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1 || maxBytes > MAX_BODY_LIMIT)
      throw invalidOption(`BodyLimitGuard(${String(maxBytes)})`, remedy);
    this.description = `At most ${maxBytes} bytes`;
    this.bodyLimit = maxBytes;
  }

  readonly run = pass;
}
