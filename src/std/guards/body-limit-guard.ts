import { pass } from "#core/bus/outcome.js";
import { type Guard, MAX_BODY_LIMIT } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";

/**
 * Limits the bodies of the routes behind it: a larger one is refused with 413. The smallest limit of
 * all guards of a route and of the route is used, else the ingress's (1 MiB). It never raises a
 * limit.
 */
export class BodyLimitGuard implements Guard<never> {
  readonly name = "BodyLimitGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly bodyLimit: number;

  /** `maxBytes`: maximum size of a body. Throws CONFIG_INVALID. */
  constructor(maxBytes: number) {
    const remedy = `maxBytes must be a whole number of bytes from 1 to ${MAX_BODY_LIMIT}`;
    if (!Number.isSafeInteger(maxBytes) || maxBytes < 1 || maxBytes > MAX_BODY_LIMIT)
      throw invalidOption(`BodyLimitGuard(${String(maxBytes)})`, remedy);
    this.description = `At most ${maxBytes} bytes`;
    this.bodyLimit = maxBytes;
  }

  readonly run = pass;
}
