import { randomBytes } from "node:crypto";

import type { BusView } from "#core/bus/bus.js";
import { type Pass, pass } from "#core/bus/outcome.js";
import { type ResponseHeaders, SecurityHeaders, writtenHeader } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { SecurityPolicy } from "./security-policy.js";

export interface SecurityHeadersOptions {
  /** Returns `size` unpredictable bytes, for nonces. Tests pass their own. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

/**
 * Adds security headers to every response of the routes behind it, errors included; on an ingress to
 * every response. They are one block, built once: twelve cost as much as one.
 * Strict-Transport-Security is sent over https only.
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
    const remedy = "give a SecurityPolicy, such as SecurityPolicy.default()";
    if (headers === undefined) throw invalidOption("SecurityHeadersGuard(policy)", remedy);
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

// 144 bits: more than the 128 that the specification requires, and no padding in base64.
const BYTES = 18;
const CHARACTERS = 24;

/** Random values per call of the generator: each call costs a microsecond. */
const DRAWN = 128;

/** Unpredictable one-time values: base64url needs no escape in headers and HTML. */
class Nonces {
  readonly #random: (size: number) => Uint8Array;
  #drawn: string;
  #at = 0;

  /** Throws CONFIG_INVALID if `random` returns too few bytes. */
  constructor(random: (size: number) => Uint8Array) {
    if (typeof random !== "function")
      throw invalidOption("randomBytes", "give a function that answers as many bytes as it is asked for");
    this.#random = random;
    this.#drawn = this.#draw();
  }

  next(): string {
    if (this.#at === this.#drawn.length) {
      this.#drawn = this.#draw();
      this.#at = 0;
    }
    this.#at += CHARACTERS;
    return this.#drawn.slice(this.#at - CHARACTERS, this.#at);
  }

  #draw(): string {
    const bytes = this.#random(BYTES * DRAWN);
    if (bytes.length !== BYTES * DRAWN)
      throw invalidOption(
        "randomBytes(size)",
        `it must answer as many bytes as size says, not ${bytes.length}`,
      );
    return Buffer.from(bytes).toString("base64url");
  }
}
