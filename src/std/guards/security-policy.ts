import type { HeaderFields } from "#core/facts/response-facts.js";
import { invalidOption } from "#core/invalid-option.js";
import {
  type Csp,
  type CspDirectives,
  changedCsp,
  cspText,
  noncedCsp,
  parseCsp,
} from "./content-security-policy.js";
import { type SecurityHeaderName, securityHeaders } from "./security-header-table.js";

/** Values by header name; false removes the header. */
export type SecurityHeaderChanges = { readonly [N in SecurityHeaderName]?: string | false };

/** Pages load only scripts, styles and data of their own origin, and cannot be framed. */
// Not upgrade-insecure-requests: browsers do it themselves on https. On a network without https it
// would break the pages.
const STRICT = parseCsp(
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
);

const DEFAULTS: HeaderFields = Object.fromEntries(
  Object.entries(securityHeaders).flatMap(([name, { value }]) =>
    value === undefined ? [] : [[name, value]],
  ),
);

/** The parts of a policy. Private to this module: all headers of a policy are validated. */
class Parts {
  readonly others: HeaderFields;
  readonly csp: Csp | false;
  readonly isNonced: boolean;

  constructor(others: HeaderFields, csp: Csp | false, isNonced: boolean) {
    this.others = others;
    this.csp = csp;
    this.isNonced = isNonced;
  }
}

/**
 * The security headers of responses. Immutable: each method returns another policy.
 *
 *     SecurityPolicy.default()
 *       .withCsp({ "img-src": ["'self'", "https://images.example"] })
 *       .with({ "x-frame-options": "SAMEORIGIN", "x-dns-prefetch-control": false })
 */
export class SecurityPolicy {
  /** The headers by their names, in lower case. */
  readonly headers: HeaderFields;
  /** @internal The Content-Security-Policy split at its nonce; undefined without one. */
  readonly nonced: readonly string[] | undefined;
  readonly #others: HeaderFields;
  readonly #csp: Csp | false;

  /** Same as {@link SecurityPolicy.default}. Its methods make other policies. */
  constructor();
  /** @internal */
  constructor(parts: Parts);
  constructor(parts: Parts = new Parts(DEFAULTS, STRICT, false)) {
    if (!(parts instanceof Parts))
      throw invalidOption("new SecurityPolicy(...)", "call SecurityPolicy.default().with({ ... })");
    const { others, csp, isNonced } = parts;
    if (isNonced && csp === false)
      throw invalidOption("SecurityPolicy", "withNonce() needs the header that withCsp(false) leaves out");
    this.#others = others;
    this.#csp = csp;
    this.headers = Object.freeze({
      ...(csp !== false && { "content-security-policy": cspText(csp) }),
      ...others,
    });
    this.nonced = isNonced && csp !== false ? noncedCsp(csp) : undefined;
  }

  /**
   * Twelve headers, one of them (HSTS) over https alone: content-security-policy
   * `default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none';
   * object-src 'none'`, strict-transport-security of a year with subdomains,
   * x-frame-options DENY, x-content-type-options nosniff, referrer-policy same-origin, a
   * permissions-policy without hardware, cross-origin-opener-policy and
   * cross-origin-resource-policy same-origin, origin-agent-cluster, x-dns-prefetch-control
   * off, x-permitted-cross-domain-policies none, x-xss-protection 0.
   */
  static default(): SecurityPolicy {
    return new SecurityPolicy();
  }

  /**
   * Changes the named headers: `{ "x-frame-options": "SAMEORIGIN" }`; false removes one. Throws
   * CONFIG_INVALID for unknown names and values.
   */
  with(changes: SecurityHeaderChanges): SecurityPolicy {
    if (typeof changes !== "object" || changes === null)
      throw invalidOption(
        "SecurityPolicy.with(...)",
        'name the headers: { "x-frame-options": "SAMEORIGIN" }',
      );
    const others: Record<string, string> = { ...this.#others };
    for (const [name, value] of Object.entries(changes)) {
      requireAllowed(name, value);
      if (value === false) delete others[name];
      else others[name] = value;
    }
    return new SecurityPolicy(new Parts(others, this.#csp, this.nonced !== undefined));
  }

  /**
   * Changes the Content-Security-Policy: a text replaces it, directives change only themselves, false
   * removes it. Throws CONFIG_INVALID for parts that browsers would ignore.
   */
  withCsp(csp: string | CspDirectives | false): SecurityPolicy {
    const changed = (): Csp =>
      typeof csp === "string" ? parseCsp(csp) : changedCsp(this.#csp || new Map(), csp as CspDirectives);
    const made = csp === false ? csp : changed();
    return new SecurityPolicy(new Parts(this.#others, made, this.nonced !== undefined));
  }

  /**
   * Allows scripts and styles with the request's nonce: 144 random bits, in SecurityHeaders on the
   * Bus. Responses made before the guard runs carry the policy without a nonce.
   */
  withNonce(): SecurityPolicy {
    return new SecurityPolicy(new Parts(this.#others, this.#csp, true));
  }
}

function requireAllowed(name: string, value: string | false | undefined): asserts value is string | false {
  const call = `SecurityPolicy.with({ ${JSON.stringify(name)}: ${JSON.stringify(value)} })`;
  if (name.toLowerCase() === "content-security-policy") throw invalidOption(call, "call withCsp(...)");
  if (!Object.hasOwn(securityHeaders, name))
    throw invalidOption(call, `the headers are ${Object.keys(securityHeaders).join(", ")}`);
  const { allows, remedy } = securityHeaders[name as SecurityHeaderName];
  if (value === false || (typeof value === "string" && allows.test(value))) return;
  throw invalidOption(call, `use ${remedy}; or false for none`);
}
