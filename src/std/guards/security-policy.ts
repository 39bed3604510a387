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

/** By name another value; false for none. */
export type SecurityHeaderChanges = { readonly [N in SecurityHeaderName]?: string | false };

/** Pages use their own origin's scripts, styles and data, and stand in nobody's frame. */
// Not upgrade-insecure-requests: browsers do so by themselves on https, and over plain http
// it would break the pages of a network without any.
const STRICT = parseCsp(
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
);

const DEFAULTS: HeaderFields = Object.fromEntries(
  Object.entries(securityHeaders).flatMap(([name, { value }]) =>
    value === undefined ? [] : [[name, value]],
  ),
);

/** What a policy is made of. Nobody else can make them, so that none has a header that was not checked. */
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
 * Which security headers answers carry. Cannot be changed: each call makes another policy.
 *
 *     SecurityPolicy.default()
 *       .withCsp({ "img-src": ["'self'", "https://images.example"] })
 *       .with({ "x-frame-options": "SAMEORIGIN", "x-dns-prefetch-control": false })
 */
export class SecurityPolicy {
  /** The headers by their names, in lower case. */
  readonly headers: HeaderFields;
  /** @internal The Content-Security-Policy around its nonce, to be joined by it; undefined without. */
  readonly nonced: readonly string[] | undefined;
  readonly #others: HeaderFields;
  readonly #csp: Csp | false;

  /** The same as {@link SecurityPolicy.default}: others are made by its calls. */
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
   * Other values of the headers that are named: `{ "x-frame-options": "SAMEORIGIN" }`; false
   * leaves one out. Throws CONFIG_INVALID for names and values that browsers do not know.
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
   * Another Content-Security-Policy: as a text the whole of it; by directives what is to
   * change of this one, the others staying as they are; false for none. Throws
   * CONFIG_INVALID for what browsers would ignore.
   */
  withCsp(csp: string | CspDirectives | false): SecurityPolicy {
    const changed = (): Csp =>
      typeof csp === "string" ? parseCsp(csp) : changedCsp(this.#csp || new Map(), csp as CspDirectives);
    const made = csp === false ? csp : changed();
    return new SecurityPolicy(new Parts(this.#others, made, this.nonced !== undefined));
  }

  /**
   * Lets the scripts and styles run that carry the request's nonce: 144 random bits, in
   * SecurityHeaders on the Bus. Answers that are made before the guard runs carry the
   * policy without one.
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
