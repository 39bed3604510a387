import type { BusView } from "#core/bus/bus.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { FailureLog } from "#core/bus/log.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { identityCodes, sessionCodes } from "#core/error-codes.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { StepHeaders, Transition } from "#core/flow/transition.js";
import { declareBy } from "#core/flow/used-store.js";
import { IamError } from "#core/iam/iam-error.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { Session, SessionForgotten, SessionIssued, SessionLookup } from "#core/ports/session.js";
import type { SessionData } from "#core/ports/session-store.js";
import type { StoresUser } from "#core/ports/store-set.js";
import { asStoreCall } from "#core/timeline/inner-span.js";
import { SessionFault, type StoreUnavailable } from "../faults.js";
import { LoadedSession } from "./loaded-session.js";
import { failed, LOGGED_IN, type LoggedIn, type SessionSource, writeSession } from "./session-bus.js";
import type { EndedFault, MadeFault, MovedFault } from "./session-faults.js";
import { andThen } from "./session-store-calls.js";
import type { Sessions } from "./sessions.js";

export interface CreateSessionOptions<In> {
  /** The identity that logs in. Default: the IamIdentity on the Bus, and 401 without one. */
  readonly identityOf?: (input: In) => IamIdentity;
  /** Initial data of the session. Default: none. */
  readonly dataOf?: (input: In) => SessionData;
}

type Issued = LoggedIn | typeof SessionIssued;
type ReadByLogin = SessionSource | typeof IamIdentity;
type LoginFault = MadeFault | IamError;

/**
 * Logs a user in: makes a session with a new id and passes its input on. A session of the request is
 * ended in the same step, even of another user, and no id from a client becomes one (session
 * fixation). It ends at the latest with the identity.
 */
export class CreateSession<In = unknown>
  implements Transition<In, Promise<Pass | Fault<LoginFault>>, never, Issued, ReadByLogin>
{
  readonly name = "CreateSession";
  readonly responses: readonly DeclaredResponse[];
  readonly description: string;
  readonly mayRead: readonly ReadByLogin[];
  readonly writes = [...LOGGED_IN, SessionIssued] as const;
  readonly responseHeaders: StepHeaders;
  declare readonly perProcess?: string;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;
  readonly #options: CreateSessionOptions<In>;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: CreateSessionOptions<In> = {}) {
    requireKnownOptions("CreateSession", options, ["identityOf", "dataOf"]);
    for (const [name, given] of Object.entries(options))
      if (given !== undefined && typeof given !== "function")
        throw invalidOption("CreateSession", `${name} is a function of the input`);
    const { place, description } = sessions;
    this.description = description;
    this.mayRead = [place.source, IamIdentity, FailureLog];
    this.responseHeaders = { written: place.issuing };
    const nobody = options.identityOf === undefined ? (["TOKEN_MISSING"] as const) : [];
    this.responses = [
      ...declaredOf(identityCodes, "TOKEN_EXPIRED", ...nobody),
      ...declaredOf(sessionCodes, "SESSIONS_FULL", "SESSION_DATA_TOO_LARGE", "SESSION_STORE_UNAVAILABLE"),
    ];
    declareBy<{ perProcess?: string }>(this, { perProcess: () => sessions.perProcess });
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
    this.#options = options;
  }

  readonly run = async (
    input: In,
    bus: BusView<never, Issued, ReadByLogin>,
  ): Promise<Pass | Fault<LoginFault>> => {
    const { identityOf, dataOf } = this.#options;
    const { place } = this.#sessions;
    const identity = identityOf === undefined ? bus.find(IamIdentity) : identityOf(input);
    if (identity === undefined && identityOf === undefined) return NOBODY;
    const presented = place.presented(bus.find(place.source));
    const replaces = presented.kind === "key" ? presented.key : undefined;
    const data = dataOf === undefined ? {} : dataOf(input);
    const making = this.#sessions.create(identity, data, replaces);
    const made = await asStoreCall(bus, "SessionStore.create", making);
    if (made instanceof IamError || made instanceof SessionFault) return failed(bus, this.name, made);
    writeSession(bus, made.session);
    bus.set(SessionIssued, made.issued);
    return pass(input);
  };
}

const NOBODY = fault(IamError.missingToken());

export interface RotateSessionOptions<In> {
  /** The new identity of the same subject: with more roles, or fewer. Default: unchanged. */
  readonly identityOf?: (input: In, session: Session) => IamIdentity;
}

/**
 * Gives a session another id when its rights change: after a second factor, with a new role. The old
 * id and its CSRF tokens are void at once. The data and the expiry stay, unless the identity expires
 * earlier; an expired one receives 401. Of concurrent rotations one succeeds, and the others receive
 * 409. Passes its input on. Place it behind ValidateSession.
 */
export class RotateSession<In = unknown>
  implements
    Transition<In, Promise<Pass | Fault<MovedFault | IamError>>, typeof Session, Issued, typeof FailureLog>
{
  readonly name = "RotateSession";
  readonly responses = [
    ...declaredOf(identityCodes, "TOKEN_EXPIRED"),
    ...declaredOf(sessionCodes, "SESSION_CONFLICT", "SESSION_DATA_TOO_LARGE", "SESSION_STORE_UNAVAILABLE"),
  ];
  readonly description: string;
  readonly reads = [Session] as const;
  readonly mayRead = [FailureLog] as const;
  readonly writes = [...LOGGED_IN, SessionIssued] as const;
  readonly responseHeaders: StepHeaders;
  declare readonly perProcess?: string;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;
  readonly #identityOf: (input: In, session: Session) => IamIdentity;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: RotateSessionOptions<In> = {}) {
    requireKnownOptions("RotateSession", options, ["identityOf"]);
    const { identityOf = (_, { identity }) => identity } = options;
    if (typeof identityOf !== "function")
      throw invalidOption("RotateSession", "identityOf is a function of the input and the session");
    const { place, description } = sessions;
    this.description = description;
    this.responseHeaders = { written: place.issuing };
    declareBy<{ perProcess?: string }>(this, { perProcess: () => sessions.perProcess });
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
    this.#identityOf = identityOf;
  }

  readonly run = async (
    input: In,
    bus: BusView<typeof Session, Issued, typeof FailureLog>,
  ): Promise<Pass | Fault<MovedFault | IamError>> => {
    const session = bus.get(Session);
    const moving = this.#sessions.rotate(session, this.#identityOf(input, session));
    const moved = await asStoreCall(bus, "SessionStore.rotate", moving);
    if (moved instanceof IamError || moved instanceof SessionFault) return failed(bus, this.name, moved);
    writeSession(bus, moved.session);
    bus.set(SessionIssued, moved.issued);
    return pass(input);
  };
}

export interface DestroySessionOptions {
  /** Whether all sessions of the user end, on all devices. Default false. */
  readonly everywhere?: boolean;
}

type ReadByLogout = SessionSource | typeof Session;
type Ended = typeof Session | typeof IamIdentity | typeof VerifiedIdentity;
type Logout = Promise<Pass | Fault<EndedFault>>;

/**
 * Logs out: ends the session of the request and deletes the browser's cookie. Without a session it
 * does nothing else. If the store fails the response is 503. If a concurrent request gave the session
 * another id it is 409: a response of success means that the session has ended. Passes its input on.
 * It needs no LoadSession before it.
 */
export class DestroySession
  implements
    Transition<
      unknown,
      Logout,
      never,
      typeof SessionLookup,
      ReadByLogout,
      typeof SessionForgotten,
      never,
      never,
      never,
      Ended
    >
{
  readonly name = "DestroySession";
  readonly responses = declaredOf(sessionCodes, "SESSION_CONFLICT", "SESSION_STORE_UNAVAILABLE");
  readonly description: string;
  readonly mayRead: readonly ReadByLogout[];
  readonly writes = [SessionLookup] as const;
  readonly mayWrite = [SessionForgotten] as const;
  readonly deletes = [Session, IamIdentity, VerifiedIdentity] as const;
  readonly responseHeaders: StepHeaders;
  declare readonly perProcess?: string;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;
  readonly #everywhere: boolean;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: DestroySessionOptions = {}) {
    requireKnownOptions("DestroySession", options, ["everywhere"]);
    const { everywhere = false } = options;
    if (typeof everywhere !== "boolean") throw invalidOption("DestroySession", "everywhere is true or false");
    const { place, description } = sessions;
    this.description = everywhere ? `all of who is logged in; ${description}` : description;
    this.mayRead = [place.source, Session, FailureLog];
    this.responseHeaders = { written: place.forgetting };
    declareBy<{ perProcess?: string }>(this, { perProcess: () => sessions.perProcess });
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
    this.#everywhere = everywhere;
  }

  readonly run = async (
    input: unknown,
    bus: BusView<never, typeof SessionLookup, ReadByLogout, typeof SessionForgotten, Ended>,
  ): Logout => {
    const { place } = this.#sessions;
    const presented = place.presented(bus.find(place.source));
    const found = bus.find(Session);
    // The Bus may hold a session of other Sessions.
    const session = found !== undefined && LoadedSession.isOf(found, this.#sessions) ? found : undefined;
    const sentKey = presented.kind === "key" ? presented.key : undefined;
    const key = session === undefined ? sentKey : LoadedSession.keptOf(session, this.#sessions)[0];
    const ending = key === undefined ? undefined : this.#end(key, session);
    const failure = await asStoreCall(bus, "SessionStore.destroy", ending);
    if (failure !== undefined) return failed(bus, this.name, failure);
    bus.set(SessionLookup, { kind: "none" });
    for (const ended of this.deletes) bus.delete(ended);
    if (place.forgotten !== undefined && (key !== undefined || presented.kind === "malformed"))
      bus.set(SessionForgotten, place.forgotten);
    return pass(input);
  };

  #end(key: string, known: Session | undefined): MaybePromise<EndedFault | undefined> {
    if (!this.#everywhere) return this.#sessions.destroy(key);
    if (known === undefined) return this.#sessions.destroyAllOf(key);
    const [, { owner }] = LoadedSession.keptOf(known, this.#sessions);
    return andThen(this.#sessions.destroyAll(owner), (ended) =>
      ended instanceof SessionFault ? ended : undefined,
    );
  }
}

export interface CleanupSessionsOptions {
  /** Maximum number of sessions deleted in one run. Default 1000. */
  readonly batch?: number;
}

/**
 * Deletes expired sessions from the store, one batch a run, and returns their number: if it equals
 * the batch there may be more. For an Axon that a timer or an EventSource runs.
 */
export class CleanupSessions
  implements Transition<unknown, Promise<number | Fault<StoreUnavailable>>, never, never, typeof FailureLog>
{
  readonly name = "CleanupSessions";
  readonly responses = declaredOf(sessionCodes, "SESSION_STORE_UNAVAILABLE");
  readonly description: string;
  readonly mayRead = [FailureLog] as const;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;
  readonly #batch: number;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: CleanupSessionsOptions = {}) {
    requireKnownOptions("CleanupSessions", options, ["batch"]);
    const { batch = 1000 } = options;
    if (!Number.isSafeInteger(batch) || batch < 1)
      throw invalidOption(
        "CleanupSessions",
        `batch must be a positive whole number, and is ${String(batch)}`,
      );
    this.description = `At most ${batch} in a run`;
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
    this.#batch = batch;
  }

  readonly run = async (
    _: unknown,
    bus: BusView<never, never, typeof FailureLog>,
  ): Promise<number | Fault<StoreUnavailable>> => {
    const cleaning = this.#sessions.cleanUp(this.#batch);
    const count = await asStoreCall(bus, "SessionStore.cleanUp", cleaning);
    return count instanceof SessionFault ? failed(bus, this.name, count) : count;
  };
}
