import type { BusView } from "#core/bus.js";
import { IamIdentity } from "#core/iam-identity.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { FailureLog } from "#core/log.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import type { MaybePromise } from "#core/outcome-types.js";
import { Session, SessionForgotten, SessionLookup } from "#core/session.js";
import type { StepHeaders, Transition } from "#core/transition.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import { LoadedSession } from "./loaded-session.js";
import { logFailure, type SessionSource } from "./session-bus.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import { andThen } from "./session-store-calls.js";
import type { EndedFault, Sessions } from "./sessions.js";

export interface DestroySessionOptions {
  /** Whether all sessions of who is logged in end, wherever that is. Default false. */
  readonly everywhere?: boolean;
}

type Read = SessionSource | typeof Session;
type Written = typeof SessionForgotten;
type Ended = typeof Session | typeof IamIdentity | typeof VerifiedIdentity;
type View = BusView<never, typeof SessionLookup, Read, Written, Ended>;

/**
 * Logs out: ends the session of the request, and has the browser forget its cookie. Without one
 * it does nothing else. Where the store fails it is 503, and where another request has just given
 * the session another id 409: nobody is told to be logged out who is not.
 * Lets its input pass. It needs no LoadSession before it.
 */
export class DestroySession
  implements
    Transition<
      unknown,
      Promise<Pass | Fault<EndedFault>>,
      never,
      typeof SessionLookup,
      Read,
      Written,
      never,
      never,
      never,
      Ended
    >
{
  readonly name = "DestroySession";
  readonly description: string;
  readonly mayRead: readonly Read[];
  readonly writes = [SessionLookup] as const;
  readonly mayWrite = [SessionForgotten] as const;
  readonly deletes = [Session, IamIdentity, VerifiedIdentity] as const;
  readonly responseHeaders: StepHeaders;
  readonly perProcess?: string;
  readonly #sessions: Sessions;
  readonly #everywhere: boolean;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: DestroySessionOptions = {}) {
    requireKnownOptions("DestroySession", options, ["everywhere"]);
    const { everywhere = false } = options;
    if (typeof everywhere !== "boolean") throw invalidOption("DestroySession", "everywhere is true or false");
    const { place, description, perProcess } = sessions;
    this.description = everywhere ? `all of who is logged in; ${description}` : description;
    this.mayRead = [place.source, Session, FailureLog];
    this.responseHeaders = { written: place.forgetting };
    if (perProcess !== undefined) this.perProcess = perProcess;
    this.#sessions = sessions;
    this.#everywhere = everywhere;
  }

  readonly run = async (input: unknown, bus: View): Promise<Pass | Fault<EndedFault>> => {
    const { place } = this.#sessions;
    const sent = bus.find(place.source);
    const presented = place.presented(sent);
    const found = bus.find(Session);
    // Of two kinds of Sessions the other one's may be on the Bus.
    const session = found !== undefined && LoadedSession.isOf(found, this.#sessions) ? found : undefined;
    const sentKey = presented.kind === "key" ? presented.key : undefined;
    const key = session === undefined ? sentKey : LoadedSession.keptOf(session, this.#sessions)[0];
    const failure = key === undefined ? undefined : await this.#end(key, session);
    if (failure !== undefined) {
      if (failure.code === "SESSION_STORE_UNAVAILABLE")
        logFailure(bus, this.name, failure as StoreUnavailable);
      return fault(failure);
    }
    bus.set(SessionLookup, { kind: "none" });
    for (const ended of this.deletes) bus.delete(ended);
    if (place.forgotten !== undefined && (key !== undefined || presented.kind === "malformed"))
      bus.set(SessionForgotten, place.forgotten);
    return pass(input);
  };

  #end(key: string, known: Session | undefined): MaybePromise<EndedFault | undefined> {
    if (!this.#everywhere) return this.#sessions.destroy(key);
    if (known === undefined) return this.#sessions.destroyAllOf(key);
    return andThen(
      this.#sessions.destroyAll(LoadedSession.keptOf(known, this.#sessions)[1].owner),
      (ended) => (ended instanceof SessionFault ? ended : undefined),
    );
  }
}
