// Authenticates callers in front of an Axon or a route and applies its policy. An error that a
// verifier throws, a result that is neither an identity nor an IamError, and a time-out are
// refusals. Logs, errors and drawings never contain the token. A synchronous verifier costs no
// promise.

import type { BusView } from "../bus/bus.js";
import type { AnyKey, BusKey } from "../bus/bus-key.js";
import type { DeclaredResponse } from "../bus/declared-response.js";
import { FailureLog } from "../bus/log.js";
import { type Fault, fault, type Pass, pass } from "../bus/outcome.js";
import type { MaybePromise } from "../bus/outcome-types.js";
import { type Clock, MAX_TIMER_MS, systemClock } from "../clock.js";
import { VerifiedIdentity } from "../facts/ingress-facts.js";
import { IamError } from "../iam/iam-error.js";
import { IamIdentity, IamToken } from "../iam/iam-identity.js";
import { type IamPolicy, requirePolicy } from "../iam/iam-policy.js";
import { boundaryResponses } from "../iam/iam-responses.js";
import { type IamVerifier, type Recall, RunVerification, recallOf } from "../iam/iam-verifier.js";
import { identityProblem, ownedIdentity, verifiedName } from "../iam/owned-identity.js";
import { errorWithoutToken, withoutToken } from "../iam/without-token.js";
import { invalidOption, requireKnownOptions } from "../invalid-option.js";
import type { StoreSet, StoresUser } from "../ports/store-set.js";
import { isThenable } from "../thenable.js";
import type { Credential, Guard } from "./guard.js";
import { declareBy } from "./used-store.js";

export interface IamOptions {
  /** Key of the token: `header("x-token")`, `cookie("access")`, a key that a layer writes. Default: {@link IamToken}. */
  readonly token?: BusKey<string, string>;
  /** Time limit of a verifier, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
  /** Tests pass their own. */
  readonly clock?: Clock;
  /** Milliseconds since 1970, to check the expiry of identities. Tests pass their own. */
  readonly now?: () => number;
}

const OPTIONS = ["token", "timeoutMs", "clock", "now"];

/** Outcomes of the requests at one boundary. An admitted request with a bad token is counted twice. */
export interface IamCounts {
  readonly verified: number;
  readonly anonymous: number;
  /** Requests without the token that the policy demands. */
  readonly missing: number;
  /** Requests with an invalid token. */
  readonly invalid: number;
  readonly expired: number;
  readonly refused: number;
  /** Requests with a token that could not be verified. */
  readonly unavailable: number;
}

/** Keys written for steps behind a boundary with this policy, for each admitted request. */
export type WrittenBy<P extends IamPolicy> =
  P extends IamPolicy<true> ? typeof IamIdentity | typeof VerifiedIdentity : never;

type Written = typeof IamIdentity | typeof VerifiedIdentity;
type Read = BusKey<string, string> | typeof FailureLog;
type View = BusView<never, never, Read, Written>;
type Verdict = Pass | Fault<IamError>;

const MAX_TOKEN_LENGTH = 8192;
/** RFC 6750 allows less. A search for a forbidden character costs half of a match of the whole token. */
const NOT_VISIBLE = /[^\x21-\x7e]/;

const MALFORMED = IamError.invalidToken("It has more than 8192 characters, or others than visible ASCII");
const WRITTEN: readonly Written[] = [IamIdentity, VerifiedIdentity];

/** A guard: passes its input on, or ends the run with an IamError. */
export class IamBoundary<P extends IamPolicy = IamPolicy>
  implements Guard<IamError, never, WrittenBy<P>, Read, Written>
{
  readonly name: string;
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead: readonly Read[];
  readonly writes: readonly WrittenBy<P>[];
  readonly mayWrite: readonly Written[];
  declare readonly perProcess?: string;
  readonly policy: P;
  readonly responses: readonly DeclaredResponse[];
  readonly verifier: IamVerifier;
  readonly options: IamOptions;
  readonly #token: BusKey<string, string>;
  /** The function that `#recall` caches. */
  readonly #verified: IamVerifier["verify"];
  readonly #recall: Recall | undefined;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #counts: { -readonly [K in keyof IamCounts]: number } = {
    verified: 0,
    anonymous: 0,
    missing: 0,
    invalid: 0,
    expired: 0,
    refused: 0,
    unavailable: 0,
  };

  /** `call` is for messages: "withIam of Axon 'orders'". Throws CONFIG_INVALID. */
  constructor(name: string, call: string, policy: P, verifier: IamVerifier, options: IamOptions = {}) {
    requirePolicy(call, policy);
    requireVerifier(call, verifier);
    requireOptions(call, options);
    const { token = IamToken, timeoutMs = 5000, clock = systemClock, now = Date.now } = options;
    this.name = name;
    this.policy = policy;
    this.responses = boundaryResponses(policy);
    this.verifier = verifier;
    this.options = options;
    this.description = `${policy.description}, verified by ${describeVerifier(verifier)}`;
    this.mayRead = [token, FailureLog];
    this.writes = policy.demandsIdentity ? (WRITTEN as readonly WrittenBy<P>[]) : [];
    this.mayWrite = policy.demandsIdentity ? [] : WRITTEN;
    declareBy<{ perProcess?: string }>(this, { perProcess: () => verifier.perProcess });
    this.#token = token;
    this.#verified = verifier.verify;
    this.#recall = recallOf(verifier.verify);
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#now = now;
  }

  get token(): AnyKey {
    return this.#token;
  }

  get admits(): IamPolicy {
    return this.policy;
  }

  get credential(): Credential {
    const [, kind, name] = /^(header|(?:signed |encrypted )?cookie):(.*)$/s.exec(this.#token.name) ?? [];
    if (kind === undefined || name === undefined) return { in: "header", name: "authorization" };
    return { in: kind === "header" ? "header" : "cookie", name };
  }

  get counts(): IamCounts {
    return this.#counts;
  }

  readonly useStores = (stores: StoreSet): (() => void) =>
    (this.verifier as Partial<StoresUser>).useStores?.(stores) ?? (() => {});

  readonly run = (input: unknown, bus: View): MaybePromise<Verdict> => {
    const token: unknown = bus.find(this.#token);
    if (token === undefined || token === "") return this.#withoutToken(input);
    if (typeof token !== "string" || token.length > MAX_TOKEN_LENGTH)
      return this.#refused(MALFORMED, "", input, bus);
    const known = this.verifier.verify === this.#verified ? this.#recall?.(token) : undefined;
    return known === undefined ? this.#verify(token, input, bus) : this.#settled(known, token, input, bus);
  };

  #verify(token: string, input: unknown, bus: View): MaybePromise<Verdict> {
    if (NOT_VISIBLE.test(token)) return this.#refused(MALFORMED, "", input, bus);
    const verification = new RunVerification(bus);
    let answer: unknown;
    try {
      answer = this.verifier.verify(token, verification);
      if (isThenable(answer)) return this.#later(answer, token, verification, input, bus);
    } catch (cause) {
      verification.answered();
      return this.#failed(cause, token, input, bus);
    }
    verification.answered();
    return this.#settled(answer, token, input, bus);
  }

  #later(
    pending: PromiseLike<unknown>,
    token: string,
    verification: RunVerification,
    input: unknown,
    bus: View,
  ): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      // An error here comes after the end of the run: it is ignored and admits no request.
      const decide = (verdict: () => Verdict): void => {
        try {
          resolve(verdict());
        } catch (cause) {
          reject(cause);
        }
      };
      let isOver = false;
      const cancel = this.#clock.after(this.#timeoutMs, () => {
        isOver = true;
        const why = new Error(`There was no answer within ${this.#timeoutMs} ms`);
        verification.end(why);
        decide(() => this.#refused(IamError.verifierUnavailable(why.message, why), token, input, bus));
      });
      const end = (verdict: () => Verdict): void => {
        if (isOver) return;
        cancel();
        verification.answered();
        decide(verdict);
      };
      Promise.resolve(pending).then(
        (answer) => end(() => this.#settled(answer, token, input, bus)),
        (cause) => end(() => this.#failed(cause, token, input, bus)),
      );
    });
  }

  #withoutToken(input: unknown): Verdict {
    const { policy } = this;
    if (!policy.demandsIdentity) return this.#anonymous(input);
    this.#counts.missing += 1;
    return this.refusal(MISSING);
  }

  #settled(answer: unknown, token: string, input: unknown, bus: View): Verdict {
    if (answer instanceof IamError) return this.#refused(answer, token, input, bus);
    let identity: IamIdentity;
    try {
      identity = ownedIdentity(answer) ?? nobody(answer);
    } catch (cause) {
      return this.#failed(cause, token, input, bus);
    }
    // Also refuses if the clock returns NaN.
    const { expiresAt } = identity;
    // hole: an identity would outlive its end
    if (expiresAt !== undefined && !(this.#now() < expiresAt + (this.verifier.clockSkewMs ?? 0)))
      return this.#refused(EXPIRED, token, input, bus);
    const error = this.policy.decide(identity);
    // hole: every verified caller would be admitted
    if (error !== undefined) {
      this.#counts.refused += 1;
      return this.refusal(error);
    }
    this.#counts.verified += 1;
    bus.set(IamIdentity, identity);
    bus.set(VerifiedIdentity, verifiedName(identity));
    return pass(input);
  }

  /** Reports the failure. The caller receives "token not valid", since a caller can make a verifier fail. */
  #failed(cause: unknown, token: string, input: unknown, bus: View): Verdict {
    const shown = withoutToken(cause, token);
    bus.find(FailureLog)?.error({ err: shown }, "%s: %s failed", this.name, describeVerifier(this.verifier));
    return this.#refused(IamError.invalidToken("The verifier failed", shown), token, input, bus);
  }

  #refused(error: IamError, token: string, input: unknown, bus: View): Verdict {
    this.#counts[COUNTED[error.kind]] += 1;
    const told = errorWithoutToken(error, token);
    if (told.kind === "VerifierUnavailable") {
      const fields = { err: told.cause, reason: told.reason };
      bus.find(FailureLog)?.error(fields, "%s: a token could not be verified", this.name);
    }
    return this.policy.forgivesBadTokens ? this.#anonymous(input) : this.refusal(told);
  }

  /** The refusal sent to the client. A guard of another scheme than Bearer overrides it with its own challenge. */
  protected refusal(error: IamError): Fault<IamError> {
    return fault(error);
  }

  #anonymous(input: unknown): Pass {
    this.#counts.anonymous += 1;
    return pass(input);
  }
}

const MISSING = IamError.missingToken();
const EXPIRED = IamError.expired();

const COUNTED = {
  MissingToken: "missing",
  InvalidToken: "invalid",
  Expired: "expired",
  InsufficientRole: "refused",
  MissingClaims: "refused",
  VerifierUnavailable: "unavailable",
} as const satisfies Readonly<Record<IamError["kind"], keyof IamCounts>>;

export const describeVerifier = ({ description }: IamVerifier): string => description ?? "a verifier";

const nobody = (answer: unknown): never => {
  throw new TypeError(`It answered ${identityProblem(answer)}: answer an IamIdentity or an IamError`);
};

function requireVerifier(call: string, verifier: unknown): void {
  if (typeof (verifier as Partial<IamVerifier> | null | undefined)?.verify === "function") return;
  throw invalidOption(
    call,
    isThenable(verifier)
      ? "it was given a promise of a verifier: await it"
      : "it was given no verifier: one is an object with a function verify(token, { signal }), as new JwtVerifier(...) makes it",
  );
}

function requireOptions(call: string, options: IamOptions): void {
  requireKnownOptions(call, options, OPTIONS);
  const { token, timeoutMs = 1, clock = systemClock, now = Date.now } = options;
  if (token !== undefined && typeof token?.slot !== "number")
    throw invalidOption(call, `token is a key, as in { token: cookie("access") }`);
  // "Bearer " is not part of a token: with it every request would be refused.
  if (token?.name === "header:authorization")
    throw invalidOption(call, "leave token out: IamToken is what follows Bearer in that header");
  if (typeof now !== "function") throw invalidOption(call, "now is a function that answers milliseconds");
  if (typeof clock?.after !== "function")
    throw invalidOption(call, "clock is a Clock: it has a function after(ms, then)");
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS))
    throw invalidOption(call, `timeoutMs is a number of milliseconds above 0, at most ${MAX_TIMER_MS}`);
}
