// Refuses requests that a page of another site makes a browser send with its user's cookies (OWASP,
// "Cross-Site Request Forgery Prevention": Fetch Metadata, or Origin for old browsers and plain http).
// `sec-fetch-site` precedes Origin, which is "null" in own forms without a referrer. No help against
// scripts in an own page (XSS), a trusted site, or a man in the middle of plain http. DNS rebinding
// looks like an own page: `allowedHosts` of the ingress refuses it.

import type { BusView } from "#core/bus/bus.js";
import { declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { guardCodes } from "#core/error-codes.js";
import { header, OwnOrigin, RequestMethod, RequestOrigin } from "#core/facts/ingress-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { type OriginRule, OriginRules } from "#core/net/origin-rules.js";
import { type GuardFault, guardFault } from "../faults.js";

export interface CsrfOptions {
  /** Other origins with pages that may change data here, such as those of a CorsGuard. Never "null", "*" or "https://*.com". Default: none. */
  readonly trustedOrigins?: readonly OriginRule[];
  /** Whether pages of the same site may: any name below the same registrable domain. Default: false. */
  readonly allowSameSite?: boolean;
  /**
   * Treatment of requests without a source, as programs send them, and browsers before 2020.
   * "without-cookies" admits those without cookies, as no browser sends for a user. But browsers also
   * send Basic credentials and client certificates unasked: with such a login use "refuse". Default:
   * "without-cookies".
   */
  readonly unknownSource?: "without-cookies" | "pass" | "refuse";
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const UNSAFE = ["POST", "PUT", "PATCH", "DELETE"];
/** Descriptions of the treatment of unknown sources. */
const SOURCES = {
  "without-cookies": ", and of an unknown source without cookies",
  pass: ", and of an unknown source",
  refuse: "",
} as const;

const fetchSite = header("sec-fetch-site");
const cookies = header("cookie");

type Verdict = Pass | Fault<GuardFault<"CSRF_REFUSED">>;
type Facts = typeof RequestOrigin | typeof OwnOrigin | typeof fetchSite | typeof cookies;

/** Refuses unsafe requests that a page of another site may have forged. */
export class CsrfGuard implements Guard<GuardFault<"CSRF_REFUSED">, typeof RequestMethod, never, Facts> {
  readonly name = "CsrfGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [RequestMethod] as const;
  readonly mayRead = [RequestOrigin, OwnOrigin, fetchSite, cookies] as const;
  readonly responses = declaredOf(guardCodes, "CSRF_REFUSED").map((each) => ({ ...each, methods: UNSAFE }));
  readonly #trusted: OriginRules;
  readonly #passing: ReadonlySet<string>;
  readonly #unknownSource: "without-cookies" | "pass" | "refuse";

  /** Throws CONFIG_INVALID. */
  constructor(options: CsrfOptions = {}) {
    requireKnownOptions("CsrfGuard", options, ["trustedOrigins", "allowSameSite", "unknownSource"]);
    const { trustedOrigins = [], allowSameSite = false, unknownSource = "without-cookies" } = options;
    if (typeof allowSameSite !== "boolean")
      throw invalidOption("CsrfGuard", `allowSameSite ${String(allowSameSite)}: give true or false`);
    if (!Object.hasOwn(SOURCES, unknownSource))
      throw invalidOption(
        "CsrfGuard",
        `unknownSource '${String(unknownSource)}': give ${Object.keys(SOURCES).join(", ")}`,
      );
    this.#trusted = new OriginRules(trustedOrigins, "CsrfGuard");
    if (this.#trusted.exact.has("null"))
      throw invalidOption("CsrfGuard", 'trustedOrigins: any site can make pages of "null": leave it out');
    this.#trusted.requireOwned("CsrfGuard, trustedOrigins");
    this.#passing = new Set(["same-origin", "none", ...(allowSameSite ? ["same-site"] : [])]);
    this.#unknownSource = unknownSource;
    this.description = descriptionOf({ trustedOrigins, allowSameSite, unknownSource });
  }

  readonly run = (input: unknown, bus: BusView<typeof RequestMethod, never, Facts, never>): Verdict =>
    SAFE.has(bus.get(RequestMethod)) || this.#isOurs(bus) ? pass(input) : REFUSED;

  #isOurs(bus: BusView<typeof RequestMethod, never, Facts, never>): boolean {
    const origin = bus.find(RequestOrigin) || undefined;
    if (origin !== undefined && this.#trusted.allows(origin)) return true;
    const site = bus.find(fetchSite) || undefined;
    // hole: a page of another site could send forms
    if (site !== undefined) return this.#passing.has(site);
    if (origin !== undefined) return origin === bus.find(OwnOrigin);
    if (this.#unknownSource !== "without-cookies") return this.#unknownSource === "pass";
    return !bus.find(cookies);
  }
}

const REFUSED = guardFault("CSRF_REFUSED");

function descriptionOf({ trustedOrigins, allowSameSite, unknownSource }: Required<CsrfOptions>): string {
  const trusted = trustedOrigins.map((rule) => (typeof rule === "function" ? "those of a function" : rule));
  const pages = ["its own", ...(allowSameSite ? ["the same site"] : []), ...trusted];
  return `Changes by pages of ${pages.join(", ")}${SOURCES[unknownSource]}`;
}
