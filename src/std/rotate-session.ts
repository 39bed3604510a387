import type { BusView } from "#core/bus.js";
import { IamError } from "#core/iam-error.js";
import type { IamIdentity } from "#core/iam-identity.js";
import { FailureLog } from "#core/log.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import { Session, SessionIssued } from "#core/session.js";
import type { StepHeaders, Transition } from "#core/transition.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import { LOGGED_IN, type LoggedIn, logFailure, writeSession } from "./session-bus.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import type { MovedFault, Sessions } from "./sessions.js";

export interface RotateSessionOptions<In> {
  /** What the same subject is from now on: with more roles, or fewer. Default: what it was. */
  readonly identityOf?: (input: In, session: Session) => IamIdentity;
}

type Written = LoggedIn | typeof SessionIssued;

/**
 * Gives a session another id, where what it allows changes: after a second factor, with a new
 * role. The old id stops working at once, and with it the pages' CSRF tokens; the data stay, and
 * so does when it ends, unless the identity ends before: with one that is over it is 401. Of
 * several at once one is done, and 409 answers the others. Lets its input pass. It stands behind
 * ValidateSession.
 */
export class RotateSession<In = unknown>
  implements
    Transition<In, Promise<Pass | Fault<MovedFault | IamError>>, typeof Session, Written, typeof FailureLog>
{
  readonly name = "RotateSession";
  readonly description: string;
  readonly reads = [Session] as const;
  readonly mayRead = [FailureLog] as const;
  readonly writes = [...LOGGED_IN, SessionIssued] as const;
  readonly responseHeaders: StepHeaders;
  readonly perProcess?: string;
  readonly #sessions: Sessions;
  readonly #identityOf: (input: In, session: Session) => IamIdentity;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: RotateSessionOptions<In> = {}) {
    requireKnownOptions("RotateSession", options, ["identityOf"]);
    const { identityOf = (_, { identity }) => identity } = options;
    if (typeof identityOf !== "function")
      throw invalidOption("RotateSession", "identityOf is a function of the input and the session");
    const { place, description, perProcess } = sessions;
    this.description = description;
    this.responseHeaders = { written: place.issuing };
    if (perProcess !== undefined) this.perProcess = perProcess;
    this.#sessions = sessions;
    this.#identityOf = identityOf;
  }

  readonly run = async (
    input: In,
    bus: BusView<typeof Session, Written, typeof FailureLog>,
  ): Promise<Pass | Fault<MovedFault | IamError>> => {
    const session = bus.get(Session);
    const moved = await this.#sessions.rotate(session, this.#identityOf(input, session));
    if (moved instanceof IamError) return fault(moved);
    if (moved instanceof SessionFault) {
      if (moved.code === "SESSION_STORE_UNAVAILABLE") logFailure(bus, this.name, moved as StoreUnavailable);
      return fault(moved);
    }
    writeSession(bus, moved.session);
    bus.set(SessionIssued, moved.issued);
    return pass(input);
  };
}
