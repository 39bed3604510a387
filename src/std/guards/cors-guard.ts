// Lets pages of other origins use the routes behind it, as the Fetch standard defines
// (https://fetch.spec.whatwg.org, section 3.3). The response to a preflight lists all permissions,
// whatever it asks for: an allowed origin is the only text of a request that a response repeats.

import type { BusView } from "#core/bus/bus.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { guardCodes } from "#core/error-codes.js";
import { OwnOrigin, RequestOrigin } from "#core/facts/ingress-facts.js";
import type { CorsPolicy } from "#core/facts/response-facts.js";
import { CorsHeaders, type HeaderFields, type ResponseHeaders } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";
import { OriginRules } from "#core/net/origin-rules.js";
import { headerLines } from "#core/wire/header-syntax.js";
import { type GuardFault, guardFault } from "../faults.js";
import { CorsConfig, type CorsOptions } from "./cors-config.js";

type Verdict = Pass | Fault<GuardFault<"ORIGIN_REFUSED">>;
type Facts = typeof RequestOrigin | typeof OwnOrigin;

/** Headers for one origin. */
interface Grant {
  readonly fields: HeaderFields;
  /** The same as header lines. */
  readonly lines: string;
  readonly preflight: string;
}

/**
 * Refuses requests of pages with a disallowed origin, and tells browsers that allowed pages may read
 * the responses. Requests without an origin pass, and those of the server's own pages.
 *
 * A form of another site counts too, such as an identity provider's `form_post`: list its origin, or
 * mount the route `without: ["CorsGuard"]`. With `Referrer-Policy: no-referrer` the server's own forms
 * send "null" and are refused unless "null" is listed. A function in `allowedOrigins` is called more
 * than once for a request: before its route runs, and for its response.
 */
export class CorsGuard
  implements Guard<GuardFault<"ORIGIN_REFUSED">, never, never, Facts, typeof CorsHeaders>
{
  readonly name = "CorsGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead = [RequestOrigin, OwnOrigin] as const;
  readonly mayWrite = [CorsHeaders] as const;
  readonly responseHeaders: ResponseHeaders;
  readonly responses: readonly DeclaredResponse[];
  readonly cors: CorsPolicy = {
    linesFor: (origin) => this.#grantTo(origin)?.lines ?? "",
    preflight: ({ origin }) => this.#grantTo(origin)?.preflight ?? "",
  };

  readonly #rules: OriginRules;
  readonly #known: ReadonlyMap<string, Grant>;
  readonly #everybody: Grant | undefined;
  readonly #grant: (origin: string) => Grant;

  /** Throws CONFIG_INVALID as CorsConfig does, and for contradictory options. */
  constructor(config: CorsOptions = {}) {
    const options = config instanceof CorsConfig ? config : new CorsConfig(config);
    assertServable(options);
    const isPublic = options.allowedOrigins.includes("*");
    this.description = descriptionOf(options);
    this.#grant = granting(options);
    this.#everybody = isPublic ? this.#grant("*") : undefined;
    this.#rules = new OriginRules(isPublic ? [] : options.allowedOrigins, "CorsGuard");
    // hole: pages of any site could read with the user's cookies
    if (options.allowCredentials) this.#rules.requireOwned("CorsGuard, allowedOrigins with allowCredentials");
    this.#known = new Map([...this.#rules.exact].map((origin) => [origin, this.#grant(origin)]));
    this.responseHeaders = isPublic ? {} : { always: { vary: "Origin" } };
    this.responses = isPublic ? [] : declaredOf(guardCodes, "ORIGIN_REFUSED");
  }

  readonly run = (input: unknown, bus: BusView<never, never, Facts, typeof CorsHeaders>): Verdict => {
    const origin = bus.find(RequestOrigin) ?? "";
    const grant = this.#grantTo(origin);
    if (grant !== undefined) bus.set(CorsHeaders, grant.fields);
    else if (origin !== "" && origin !== bus.find(OwnOrigin)) return REFUSED;
    return pass(input);
  };

  #grantTo(origin: string): Grant | undefined {
    if (this.#everybody !== undefined) return this.#everybody;
    const known = this.#known.get(origin);
    if (known !== undefined || !this.#rules.allows(origin)) return known;
    return this.#grant(origin);
  }
}

const REFUSED = guardFault("ORIGIN_REFUSED");

function descriptionOf({ allowedOrigins, allowCredentials }: Required<CorsOptions>): string {
  const origins = allowedOrigins.map((rule) => (typeof rule === "function" ? "those of a function" : rule));
  return `Pages of ${origins.join(", ") || "no other origin"}${allowCredentials ? ", with credentials" : ""}`;
}

/** The headers for an allowed origin, or for "*". */
function granting(options: Required<CorsOptions>): (origin: string) => Grant {
  const credentials = options.allowCredentials && { "access-control-allow-credentials": "true" };
  const told = {
    ...credentials,
    ...listed("access-control-expose-headers", options.exposedHeaders),
  };
  const asked = {
    ...credentials,
    ...listed("access-control-allow-methods", options.allowedMethods),
    ...listed("access-control-allow-headers", options.allowedHeaders),
    "access-control-max-age": String(options.maxAgeSeconds),
  };
  const [answerLines, preflightLines] = [headerLines(told), headerLines(asked)];
  return (origin) => {
    const line = `\r\naccess-control-allow-origin: ${origin}`;
    return {
      fields: Object.freeze({ "access-control-allow-origin": origin, ...told }),
      lines: line + answerLines,
      preflight: line + preflightLines,
    };
  };
}

const listed = (name: string, values: readonly string[]): HeaderFields =>
  values.length === 0 ? {} : { [name]: values.join(", ") };

function assertServable({ allowedOrigins, allowCredentials, ...lists }: Required<CorsOptions>): void {
  const call = "CorsGuard";
  if (allowedOrigins.includes("*") && allowedOrigins.length > 1)
    throw invalidOption(call, 'allowedOrigins: "*" allows the others already: leave it out, or them');
  if (!allowCredentials) return;
  // Any site can make pages of the origin "null", by a sandboxed frame.
  const open = allowedOrigins.find((origin) => origin === "*" || origin === "null");
  if (open !== undefined)
    throw invalidOption(
      call,
      `allowCredentials with "${open}" among allowedOrigins lets any site act with its users' cookies: name the origins`,
    );
  // Fetch, "HTTP new-header syntax": with credentials "*" is an ordinary name.
  for (const option of ["allowedMethods", "allowedHeaders", "exposedHeaders"] as const)
    if (lists[option].includes("*"))
      throw invalidOption(
        call,
        `${option}: with allowCredentials browsers take "*" for a name: write them all`,
      );
}
