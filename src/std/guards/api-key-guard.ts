import { type Fault, fault } from "#core/bus/outcome.js";
import { header } from "#core/facts/ingress-facts.js";
import type { ResponseHeaders } from "#core/facts/response-facts.js";
import { IamBoundary, type IamOptions } from "#core/flow/iam-boundary.js";
import type { IamError } from "#core/iam/iam-error.js";
import { IamPolicy } from "#core/iam/iam-policy.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { isToken } from "#core/wire/header-syntax.js";
import { type ApiKeyOptions, ApiKeyVerifier } from "#identity/api-keys/api-key-verifier.js";

/** `timeoutMs`, `clock` and `now` as for an AuthGuard. */
export interface ApiKeyGuardOptions<P extends IamPolicy = IamPolicy> extends Omit<IamOptions, "token"> {
  /** The header that contains the key and nothing else. Default "x-api-key". */
  readonly header?: string;
  /** Which callers are admitted. Default: all with a valid key. */
  readonly policy?: P;
}

const NAMES: readonly (keyof ApiKeyGuardOptions)[] = ["header", "policy", "timeoutMs", "clock", "now"];

/** Headers with a syntax of their own, which no key matches. */
const TAKEN: ReadonlySet<string> = new Set(["authorization", "proxy-authorization", "cookie"]);

/**
 * Admits callers with an API key that satisfies the policy. Others receive an IamError: 401, 403 or
 * 503. Later steps find the identity under IamIdentity, and rate limits count by it. For a key
 * after "Bearer" in Authorization: `new AuthGuard(policy, new ApiKeyVerifier(...))`.
 */
export class ApiKeyGuard<P extends IamPolicy = IamPolicy<true>> extends IamBoundary<P> {
  readonly responseHeaders: ResponseHeaders;

  /** `keys`: a verifier, such as `cached(new ApiKeyVerifier(...))`, or options for an ApiKeyVerifier. Throws CONFIG_INVALID. */
  constructor(keys: IamVerifier | ApiKeyOptions, options: ApiKeyGuardOptions<P> = {}) {
    const call = "ApiKeyGuard";
    requireKnownOptions(call, options, NAMES);
    const {
      header: name = "x-api-key",
      policy = IamPolicy.requireIdentity() as unknown as P,
      ...rest
    } = options;
    if (typeof name !== "string" || !isToken(name) || TAKEN.has(name.toLowerCase()))
      throw invalidOption(call, 'header must be the name of a header that holds the key alone: "x-api-key"');
    super(call, call, policy, isVerifier(keys) ? keys : new ApiKeyVerifier(keys), {
      ...rest,
      token: header(name),
    });
    // Caches do not handle this header, unlike Authorization (RFC 9111, section 3.5).
    this.responseHeaders = { always: { vary: name.toLowerCase() } };
  }

  // A 401 needs a challenge (RFC 9110, section 15.5.2). "Bearer" would ask for a header that is not read.
  protected override refusal(error: IamError): Fault<IamError> {
    return fault(error.challengedAs("ApiKey"));
  }
}

const isVerifier = (keys: IamVerifier | ApiKeyOptions): keys is IamVerifier =>
  typeof (keys as Partial<IamVerifier> | null | undefined)?.verify === "function";
