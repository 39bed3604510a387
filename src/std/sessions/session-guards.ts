import type { BusView } from "#core/bus/bus.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { FailureLog } from "#core/bus/log.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { guardCodes, identityCodes, sessionCodes } from "#core/error-codes.js";
import { header, RequestMethod, VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { ResponseHeaders } from "#core/facts/response-facts.js";
import type { Credential, Guard } from "#core/flow/guard.js";
import { declareBy } from "#core/flow/used-store.js";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { IamPolicy, requirePolicy } from "#core/iam/iam-policy.js";
import { policyResponses } from "#core/iam/iam-responses.js";
import { verifiedName } from "#core/iam/owned-identity.js";
import { Session, SessionForgotten, SessionLookup } from "#core/ports/session.js";
import type { StoresUser } from "#core/ports/store-set.js";
import { asStoreCall } from "#core/timeline/inner-span.js";
import { type GuardFault, guardFault, SessionFault, type StoreUnavailable } from "../faults.js";
import { LoadedSession } from "./loaded-session.js";
import { failed, type SessionSource, writeSession } from "./session-bus.js";
import { andThen } from "./session-store-calls.js";
import type { Sessions } from "./sessions.js";

type Identified = typeof Session | typeof IamIdentity | typeof VerifiedIdentity;
type Loaded = Identified | typeof SessionForgotten;
type LoadView = BusView<never, typeof SessionLookup, SessionSource, Loaded>;

/**
 * Finds the session of a request. Without a live one the caller is anonymous, and the response
 * deletes an invalid cookie. If the store fails the response is 503. Put ValidateSession behind it
 * to refuse anonymous callers.
 */
export class LoadSession
  implements Guard<StoreUnavailable, never, typeof SessionLookup, SessionSource, Loaded>
{
  readonly name = "LoadSession";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead: readonly SessionSource[];
  readonly writes = [SessionLookup] as const;
  readonly mayWrite = [Session, IamIdentity, VerifiedIdentity, SessionForgotten] as const;
  readonly responseHeaders: ResponseHeaders;
  readonly responses = declaredOf(sessionCodes, "SESSION_STORE_UNAVAILABLE");
  readonly credential: Credential;
  declare readonly perProcess?: string;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    const { place, description } = sessions;
    this.credential = place.credential;
    this.description = description;
    this.mayRead = [place.source, FailureLog];
    this.responseHeaders = { written: place.forgetting };
    declareBy<{ perProcess?: string }>(this, { perProcess: () => sessions.perProcess });
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
  }

  readonly run = (input: unknown, bus: LoadView): MaybePromise<Pass | Fault<StoreUnavailable>> => {
    const { place } = this.#sessions;
    const presented = place.presented(bus.find(place.source));
    if (presented.kind !== "key")
      return this.#decided({ kind: "none" }, presented.kind === "malformed", input, bus);
    const loading = this.#sessions.load(presented.key);
    return andThen(asStoreCall(bus, "SessionStore.find", loading), (found) => {
      if (found instanceof SessionFault) return failed(bus, this.name, found);
      // A replaced session has a successor: a deletion could overtake the cookie of that one.
      return this.#decided(found, found.kind === "none" || found.kind === "expired", input, bus);
    });
  };

  #decided(found: SessionLookup, isStale: boolean, input: unknown, bus: LoadView): Pass {
    const { forgotten } = this.#sessions.place;
    if (found.kind === "live") writeSession(bus, found.session);
    else bus.set(SessionLookup, found);
    if (isStale && forgotten !== undefined) bus.set(SessionForgotten, forgotten);
    return pass(input);
  }
}

/**
 * Refuses callers without a live session (401), and callers that the policy refuses (403). Place it
 * behind LoadSession. Later steps can `get` the Session and the identity.
 */
export class ValidateSession implements Guard<IamError, typeof SessionLookup, Identified> {
  readonly name = "ValidateSession";
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [SessionLookup] as const;
  readonly writes = [Session, IamIdentity, VerifiedIdentity] as const;
  readonly admits: IamPolicy;
  readonly responses: readonly DeclaredResponse[];

  /** Throws CONFIG_INVALID for an invalid policy. Default: any live session. */
  constructor(policy: IamPolicy = IamPolicy.requireIdentity()) {
    this.admits = requirePolicy("ValidateSession", policy);
    const ended = declaredOf(identityCodes, "TOKEN_EXPIRED", "TOKEN_MISSING");
    const refused = policyResponses(this.admits).filter(({ status }) => status !== 401);
    this.responses = [...ended, ...refused];
    this.description = `A live session of ${this.admits.description}`;
  }

  readonly run = (input: unknown, bus: BusView<typeof SessionLookup, Identified>): Pass | Fault<IamError> => {
    const found = bus.get(SessionLookup);
    if (found.kind !== "live") return found.kind === "expired" ? EXPIRED : MISSING;
    const { session } = found;
    const error = this.admits.decide(session.identity);
    if (error !== undefined) return fault(error);
    bus.set(Session, session);
    bus.set(IamIdentity, session.identity);
    bus.set(VerifiedIdentity, verifiedName(session.identity));
    return pass(input);
  };
}

const EXPIRED = fault(IamError.expired());
const MISSING = fault(IamError.missingToken());

const TOKEN = header("x-csrf-token");
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const INVALID = guardFault("CSRF_TOKEN_INVALID");

type ReadForToken = typeof RequestMethod | typeof SessionLookup;
type TokenFault = GuardFault<"CSRF_TOKEN_INVALID">;

/**
 * Refuses changes in a session without its token in `x-csrf-token`: a page that has read
 * `Session.csrfToken` sends it, and a page of another site cannot read it. A request without a
 * session passes, as no user's rights can be abused. ValidateSession decides on it.
 *
 * CsrfGuard is usually sufficient, and needs no code in the page. Use both if the browser's word on
 * the source of a request is not enough: if CsrfGuard admits pages of the same site
 * (`allowSameSite`) or unknown sources (`unknownSource: "pass"`), and over plain http. This guard
 * does not cover the login, which has no session yet, nor forms without a script, which cannot send
 * a header. Neither helps against a script in an own page.
 */
export class CsrfTokenGuard implements Guard<TokenFault, ReadForToken, never, typeof TOKEN> {
  readonly name = "CsrfTokenGuard";
  readonly kind = "guard";
  readonly description = "Changes in a session with its token";
  readonly reads = [RequestMethod, SessionLookup] as const;
  readonly mayRead = [TOKEN] as const;
  readonly responses = declaredOf(guardCodes, "CSRF_TOKEN_INVALID").map((each) => ({
    ...each,
    methods: ["POST", "PUT", "PATCH", "DELETE"],
  }));

  readonly run = (
    input: unknown,
    bus: BusView<ReadForToken, never, typeof TOKEN>,
  ): Pass | Fault<TokenFault> => {
    if (SAFE.has(bus.get(RequestMethod))) return pass(input);
    const found = bus.get(SessionLookup);
    if (found.kind !== "live") return pass(input);
    return LoadedSession.hasToken(found.session, bus.find(TOKEN) ?? "") ? pass(input) : INVALID;
  };
}
