// Asks the authorisation server about each token (RFC 7662), so that a revoked one is refused at once.
//
// - A malformed response admits no caller, and blames no caller.
// - One request at a time for each token, and at most maxInFlight in all: more are refused, not
//   queued. A request may outlive its caller, up to its time limit.
// - Errors, descriptions and inspection contain neither the secret nor a token.

import { backgroundClock } from "#core/background-clock.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier, Verification } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { Secret } from "#core/secrets/secret.js";
import { awaitedFlight } from "../awaited-flight.js";
import { endpointUrl, placeOf } from "../endpoint-url.js";
import { askForJson, type EndpointLimits } from "../json-endpoint.js";
import { MAX_TOKEN_LENGTH } from "../jwt/compact-jws.js";
import type { JsonMembers } from "../strict-json.js";
import {
  type ClientAuthentication,
  type ClientCredentials,
  clientCredentials,
} from "./introspection-credentials.js";
import { type IntrospectionRules, identityOfAnswer } from "./introspection-identity.js";

export interface IntrospectionOptions {
  /** The introspection endpoint: https, or http to a loopback host. */
  readonly url: string | URL;
  readonly clientId: string;
  readonly clientSecret: string | Secret<string>;
  /** Default "client_secret_basic". */
  readonly authentication?: ClientAuthentication;
  /** Required value of `iss`, compared exactly. Default: any or none. */
  readonly issuer?: string;
  /** Accepted audiences: `aud` must name one. Default: any, so that tokens for other services of the server are valid here too. */
  readonly audience?: string | readonly string[];
  /**
   * "client_id": without a `sub`, as in a client's own token, the client is the subject. Use it
   * only if no user can have the name of a client (RFC 9700, section 4.15). Default "sub": a token
   * without `sub` is invalid.
   */
  readonly subjectFrom?: "sub" | "client_id";
  /** Whether `token_type` is required. Default true: servers report a refresh token as active too, without a type. */
  readonly requireTokenType?: boolean;
  /** The claim with the list of roles. For a nested claim the path to it: ["realm_access", "roles"]. Default "roles". */
  readonly rolesClaim?: string | readonly string[];
  /** Allowed clock difference to the server, in milliseconds. Default 30 000, at most 300 000. */
  readonly clockSkewMs?: number;
  /** Time limit up to the last byte of the response, in milliseconds: 1 to 60 000. Default 3000. */
  readonly timeoutMs?: number;
  /** Maximum size of a decompressed response, in bytes: 1024 to 1 MiB. Default 64 KiB. */
  readonly maxBytes?: number;
  /** Maximum number of concurrent requests, 1 to 10 000. Further tokens are VerifierUnavailable. Default 64. */
  readonly maxInFlight?: number;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
}

type Answer = IamIdentity | IamError;

const CALL = "IntrospectionVerifier";
const OPTIONS = [
  "url",
  "clientId",
  "clientSecret",
  "authentication",
  "issuer",
  "audience",
  "subjectFrom",
  "requireTokenType",
  "rolesClaim",
  "clockSkewMs",
  "timeoutMs",
  "maxBytes",
  "maxInFlight",
  "now",
] satisfies (keyof IntrospectionOptions)[];
/** The syntax of a Bearer token (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Verifies opaque tokens by OAuth 2.0 Token Introspection (RFC 7662): one request to the server
 * for each token received, unless wrapped in `cached(...)`. The claims are the members of the
 * response without `active`. If the request fails, the error is VerifierUnavailable.
 */
export class IntrospectionVerifier implements IamVerifier {
  readonly description: string;
  readonly clockSkewMs: number;
  readonly #url: URL;
  readonly #credentials: ClientCredentials;
  readonly #rules: IntrospectionRules;
  readonly #limits: EndpointLimits;
  readonly #maxInFlight: number;
  readonly #now: () => number;
  readonly #flights = new Map<string, Promise<Answer>>();

  /** Throws CONFIG_INVALID. */
  constructor(options: IntrospectionOptions) {
    requireKnownOptions(CALL, options, OPTIONS);
    const { clientId, clientSecret, authentication = "client_secret_basic", now = Date.now } = options;
    this.#url = endpointUrl(CALL, options.url);
    this.#credentials = clientCredentials(CALL, clientId, clientSecret, authentication);
    this.#rules = rulesOf(options);
    this.clockSkewMs = this.#rules.clockSkewMs;
    this.#limits = {
      timeoutMs: requireWhole(CALL, "timeoutMs", options.timeoutMs ?? 3000, 1, 60_000),
      maxBytes: requireWhole(CALL, "maxBytes", options.maxBytes ?? 65_536, 1024, 1_048_576),
      clock: backgroundClock,
    };
    this.#maxInFlight = requireWhole(CALL, "maxInFlight", options.maxInFlight ?? 64, 1, 10_000);
    if (typeof now !== "function")
      throw invalidOption(CALL, "now must be a function that answers milliseconds");
    this.#now = now;
    this.description = `introspection by ${placeOf(this.#url)}`;
  }

  readonly verify = (token: string, verification: Verification): MaybePromise<Answer> => {
    // No server issues such a token: not sent.
    if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token))
      return IamError.invalidToken(`a Bearer token has 1 to ${MAX_TOKEN_LENGTH} characters of RFC 6750`);
    const running = this.#flights.get(token);
    // hole: made-up tokens could flood the authorization server
    if (running === undefined && this.#flights.size >= this.#maxInFlight)
      return this.#unavailable(`${this.#maxInFlight} questions are under way`);
    return awaitedFlight(running ?? this.#begin(token), verification.signal, () =>
      this.#unavailable("the caller left before the response"),
    );
  };

  #begin(token: string): Promise<Answer> {
    const flight = this.#ask(token).finally(() => this.#flights.delete(token));
    this.#flights.set(token, flight);
    return flight;
  }

  /** Never rejects. */
  async #ask(token: string): Promise<Answer> {
    const { headers, members } = this.#credentials;
    try {
      const body = new URLSearchParams({ token, token_type_hint: "access_token", ...members });
      const init = { method: "POST", headers: { accept: "application/json", ...headers }, body };
      const answer = await askForJson(this.#url, init, this.#limits, [200, 400]);
      if (answer.status === 400) return this.#refused(answer.members);
      const identity = identityOfAnswer(answer.members, this.#rules, this.#now());
      return typeof identity === "string" ? this.#unavailable(identity) : identity;
    } catch (error) {
      return this.#unavailable((error as Error).message, error);
    }
  }

  // RFC 7009, section 2.2.1: some servers send this error for a text that is none of their tokens,
  // such as a JWT. Any other error concerns this program or the server.
  #refused({ error }: JsonMembers): IamError {
    return error === "unsupported_token_type"
      ? IamError.invalidToken("the server introspects no tokens of this type")
      : this.#unavailable("it answered 400");
  }

  #unavailable(reason: string, cause?: unknown): IamError {
    return IamError.verifierUnavailable(`${this.description}: ${reason}`, cause);
  }
}

function rulesOf(options: IntrospectionOptions): IntrospectionRules {
  const { issuer, audience, subjectFrom = "sub", requireTokenType = true, rolesClaim = "roles" } = options;
  if (issuer !== undefined) requireText("issuer", issuer);
  if (subjectFrom !== "sub" && subjectFrom !== "client_id")
    throw invalidOption(CALL, 'subjectFrom must be "sub" or "client_id"');
  if (typeof requireTokenType !== "boolean")
    throw invalidOption(CALL, "requireTokenType must be true or false");
  return {
    issuer,
    audiences: audience === undefined ? undefined : new Set(texts("audience", audience)),
    clientIsSubject: subjectFrom === "client_id",
    needsTokenType: requireTokenType,
    rolesPath: texts("rolesClaim", rolesClaim),
    clockSkewMs: requireWhole(CALL, "clockSkewMs", options.clockSkewMs ?? 30_000, 0, 300_000),
  };
}

function texts(name: string, given: string | readonly string[]): readonly string[] {
  const list: readonly string[] = Array.isArray(given) ? [...given] : [given];
  if (list.length === 0) throw invalidOption(CALL, `${name} must name at least one text`);
  for (const one of list) requireText(name, one);
  return list;
}

function requireText(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "")
    throw invalidOption(CALL, `${name} must be a text that is not empty`);
}
