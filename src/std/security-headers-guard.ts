import { randomBytes } from "node:crypto";

import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { type Pass, pass } from "#core/outcome.js";
import { type ResponseHeaders, SecurityHeaders, writtenHeader } from "#core/response-facts.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import { Nonces } from "./nonces.js";
import { SecurityPolicy } from "./security-policy.js";

export interface SecurityHeadersOptions {
  /** So many unpredictable bytes, for nonces. Tests pass their own. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/**
 * Puts security headers on every answer of what it stands before, errors included; of an
 * ingress-level guard, on every answer. They are written as one block, made once: twelve
 * cost what one does. Strict-Transport-Security goes to clients that speak https alone.
 */
export class SecurityHeadersGuard implements Guard<never, never, typeof SecurityHeaders> {
  readonly name = "SecurityHeadersGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly writes = [SecurityHeaders] as const;
  readonly responseHeaders: ResponseHeaders;
  readonly #nonces: Nonces | undefined;

  constructor(policy: SecurityPolicy = SecurityPolicy.default(), options: SecurityHeadersOptions = {}) {
    requireKnownOptions("SecurityHeadersGuard", options, ["randomBytes"]);
    const { headers, nonced } = policy ?? {};
    if (headers === undefined)
      throw invalidOption(
        "SecurityHeadersGuard(policy)",
        "give a SecurityPolicy, such as SecurityPolicy.default()",
      );
    const { "strict-transport-security": hsts, ...always } = headers;
    this.description = Object.keys(headers).join(", ");
    this.responseHeaders = {
      always,
      ...(hsts !== undefined && { overHttps: { "strict-transport-security": hsts } }),
      ...(nonced !== undefined && { written: [noncedHeader(nonced)] }),
    };
    if (nonced !== undefined) this.#nonces = new Nonces(options.randomBytes ?? randomBytes);
  }

  readonly run = (input: unknown, bus: BusView<never, typeof SecurityHeaders>): Pass => {
    bus.set(SecurityHeaders, this.#nonces === undefined ? WITHOUT : { nonce: this.#nonces.next() });
    return pass(input);
  };
}

const WITHOUT: SecurityHeaders = { nonce: undefined };

const noncedHeader = (around: readonly string[]) =>
  writtenHeader(SecurityHeaders, "content-security-policy", ({ nonce }) =>
    nonce === undefined ? undefined : around.join(nonce),
  );
