import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier, Verification } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { shown } from "../shown-value.js";
import { jsonObjectOf } from "../strict-json.js";
import { CompactJws } from "./compact-jws.js";
import { type JwsAlgorithm, type JwsMethod, jwsAlgorithms } from "./jws-algorithm.js";
import { type ClaimRules, identityOf } from "./jwt-claims.js";
import { algorithmNames } from "./key-fit.js";
import type { VerificationKeys } from "./verification-keys.js";

export interface JwtVerifierOptions {
  /** Accepted algorithms: a token with another one is invalid. HS256, HS384 and HS512 cannot be combined with others. */
  readonly algorithm: JwsAlgorithm | readonly JwsAlgorithm[];
  readonly keys: VerificationKeys;
  /** Required value of `iss`, compared exactly. */
  readonly issuer: string;
  /** Accepted audiences: `aud` must name one. */
  readonly audience: string | readonly string[];
  /** Allowed clock difference to the issuer, in milliseconds. Default 30 000, at most 300 000. */
  readonly clockSkewMs?: number;
  /** Maximum age of a token since its `iat`, in milliseconds. Makes `iat` required. Default: until its `exp`. */
  readonly maxAgeMs?: number;
  /** Required `typ` of the header: "at+jwt" for access tokens (RFC 9068). Default: "JWT", or no typ. */
  readonly requiredType?: string;
  /** The claim with the list of roles. For a nested claim the path to it: ["realm_access", "roles"]. Default "roles". */
  readonly rolesClaim?: string | readonly string[];
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
}

const OPTIONS = [
  "algorithm",
  "keys",
  "issuer",
  "audience",
  "clockSkewMs",
  "maxAgeMs",
  "requiredType",
  "rolesClaim",
  "now",
] satisfies (keyof JwtVerifierOptions)[];

/**
 * Verifies JSON Web Tokens (RFC 7519; RFC 8725). A token must be signed by a configured algorithm
 * and key, have `iss`, `aud`, `sub` and `exp`, no `cnf`, and at most 8192 characters. Its claims
 * are the identity's, `sub` its subject. An expired token that is otherwise valid is
 * IamError.expired(), any other failure IamError.invalidToken. Synchronous if the keys are.
 */
export class JwtVerifier implements IamVerifier {
  readonly description: string;
  readonly clockSkewMs: number;
  readonly #keys: VerificationKeys;
  readonly #jws: CompactJws;
  readonly #rules: ClaimRules;
  readonly #now: () => number;

  /** Throws CONFIG_INVALID. */
  constructor(options: JwtVerifierOptions) {
    requireKnownOptions("JwtVerifier", options, OPTIONS);
    const { keys, issuer, clockSkewMs = 30_000, maxAgeMs, requiredType, now = Date.now } = options;
    const algorithms = requireAlgorithms(options.algorithm);
    if (typeof keys?.find !== "function")
      throw invalid(
        "keys",
        "give keys, as JwtKeys.pemFile(...), JwtKeys.url(...) and JwtKeys.secret(...) make them",
      );
    keys.requireFor?.(algorithms);
    requireText("issuer", issuer);
    requireMs("clockSkewMs", clockSkewMs, 0, 300_000);
    if (maxAgeMs !== undefined) requireMs("maxAgeMs", maxAgeMs, 1, Number.MAX_SAFE_INTEGER);
    if (requiredType !== undefined) requireText("requiredType", requiredType);
    if (typeof now !== "function") throw invalid("now", "give a function that answers milliseconds");
    this.description = `JWT ${algorithms.join(", ")} by ${issuer}`;
    this.clockSkewMs = clockSkewMs;
    this.#keys = keys;
    this.#jws = new CompactJws(keys, algorithms, typeRule(requiredType));
    this.#rules = {
      issuer,
      audiences: new Set(texts("audience", options.audience)),
      clockSkewMs,
      maxAgeMs,
      rolesPath: texts("rolesClaim", options.rolesClaim ?? "roles"),
    };
    this.#now = now;
  }

  get generation(): number {
    return this.#keys.generation ?? 0;
  }

  readonly verify = (token: string, verification: Verification): MaybePromise<IamIdentity | IamError> => {
    const payload = this.#jws.verify(token, verification);
    return payload instanceof Promise
      ? payload.then((bytes) => this.#identityOf(bytes))
      : this.#identityOf(payload);
  };

  #identityOf(payload: Buffer | IamError): IamIdentity | IamError {
    if (payload instanceof IamError) return payload;
    const claims = jsonObjectOf(payload);
    if (typeof claims === "string") return IamError.invalidToken(`the payload ${claims}`);
    return identityOf(claims, this.#rules, this.#now());
  }
}

function requireAlgorithms(given: JwsAlgorithm | readonly JwsAlgorithm[]): readonly JwsAlgorithm[] {
  const algorithms: readonly unknown[] = Array.isArray(given) ? given : [given];
  const stranger = algorithms.find((one) => !(algorithmNames as readonly unknown[]).includes(one));
  if (algorithms.length === 0 || stranger !== undefined || algorithms.includes(undefined))
    throw invalid(`algorithm: ${shown(stranger)}`, `give one or several of ${algorithmNames.join(", ")}`);
  const known = [...new Set(algorithms as readonly JwsAlgorithm[])];
  const families = known.map((one): JwsMethod["family"] => jwsAlgorithms[one].family);
  // hole: a public key could be used as a secret, and it is known to everyone.
  if (families.includes("HMAC") && families.some((family) => family !== "HMAC"))
    throw invalid(
      `algorithm: ${known.join(", ")}`,
      "make one verifier for HS, which has a secret, another for the rest",
    );
  return known;
}

/** Returns a check of the header's `typ`, compared as in RFC 7515, section 4.1.9. The check returns the error, if any. */
function typeRule(required: string | undefined): (typ: unknown) => string | undefined {
  const wanted = mediaType(required ?? "JWT");
  const remedy = required === undefined ? ": set requiredType where such tokens are meant" : "";
  return (typ) => {
    if (typ === undefined && required === undefined) return undefined;
    if (typeof typ === "string" && mediaType(typ) === wanted) return undefined;
    return `has the typ ${shown(typ)}, not ${required ?? "JWT"}${remedy}`;
  };
}

const mediaType = (typ: string): string => typ.toLowerCase().replace(/^application\//, "");

function texts(name: string, given: string | readonly string[]): readonly string[] {
  const list: readonly string[] = Array.isArray(given) ? [...given] : [given];
  if (list.length === 0) throw invalid(name, "give at least one text");
  for (const one of list) requireText(name, one);
  return list;
}

function requireText(name: string, value: unknown): void {
  if (typeof value === "string" && value !== "") return;
  throw invalid(name, `give a text that is not empty${value === undefined ? ": is its variable set?" : ""}`);
}

const requireMs = (name: string, value: number, min: number, max: number): number =>
  requireWhole(`JwtVerifier({ ${name}: ${value} })`, name, value, min, max);

const invalid = (option: string, remedy: string) => invalidOption(`JwtVerifier({ ${option} })`, remedy);
