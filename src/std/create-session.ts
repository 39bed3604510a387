import type { BusView } from "#core/bus.js";
import { IamError } from "#core/iam-error.js";
import { IamIdentity } from "#core/iam-identity.js";
import { FailureLog } from "#core/log.js";
import { type Fault, fault, type Pass, pass } from "#core/outcome.js";
import { SessionIssued } from "#core/session.js";
import type { SessionData } from "#core/session-store.js";
import type { StepHeaders, Transition } from "#core/transition.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import { LOGGED_IN, type LoggedIn, logFailure, type SessionSource, writeSession } from "./session-bus.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import type { MadeFault, Sessions } from "./sessions.js";

export interface CreateSessionOptions<In> {
  /** Who has logged in. Default: the IamIdentity on the Bus, and 401 where there is none. */
  readonly identityOf?: (input: In) => IamIdentity;
  /** What the session begins with. Default: nothing. */
  readonly dataOf?: (input: In) => SessionData;
}

type Written = LoggedIn | typeof SessionIssued;
type Read = SessionSource | typeof IamIdentity;
type Failed = MadeFault | IamError;

/**
 * Logs somebody in: makes a session with a new id, and lets its input pass. A session whose id
 * came with the request is ended in the same step, whosever it was, and no id that a client
 * has chosen becomes one (session fixation). It ends no later than the identity does.
 */
export class CreateSession<In = unknown>
  implements Transition<In, Promise<Pass | Fault<Failed>>, never, Written, Read>
{
  readonly name = "CreateSession";
  readonly description: string;
  readonly mayRead: readonly Read[];
  readonly writes = [...LOGGED_IN, SessionIssued] as const;
  readonly responseHeaders: StepHeaders;
  readonly perProcess?: string;
  readonly #sessions: Sessions;
  readonly #options: CreateSessionOptions<In>;

  /** Throws CONFIG_INVALID. */
  constructor(sessions: Sessions, options: CreateSessionOptions<In> = {}) {
    requireKnownOptions("CreateSession", options, ["identityOf", "dataOf"]);
    for (const [name, given] of Object.entries(options))
      if (given !== undefined && typeof given !== "function")
        throw invalidOption("CreateSession", `${name} is a function of the input`);
    const { place, description, perProcess } = sessions;
    this.description = description;
    this.mayRead = [place.source, IamIdentity, FailureLog];
    this.responseHeaders = { written: place.issuing };
    if (perProcess !== undefined) this.perProcess = perProcess;
    this.#sessions = sessions;
    this.#options = options;
  }

  readonly run = async (input: In, bus: BusView<never, Written, Read>): Promise<Pass | Fault<Failed>> => {
    const { identityOf, dataOf } = this.#options;
    const { place } = this.#sessions;
    const identity = identityOf === undefined ? bus.find(IamIdentity) : identityOf(input);
    if (identity === undefined && identityOf === undefined) return NOBODY;
    const presented = place.presented(bus.find(place.source));
    const replaces = presented.kind === "key" ? presented.key : undefined;
    const data = dataOf === undefined ? {} : dataOf(input);
    const made = await this.#sessions.create(identity, data, replaces);
    if (made instanceof IamError) return fault(made);
    if (made instanceof SessionFault) {
      if (made.code === "SESSION_STORE_UNAVAILABLE") logFailure(bus, this.name, made as StoreUnavailable);
      return fault(made);
    }
    writeSession(bus, made.session);
    bus.set(SessionIssued, made.issued);
    return pass(input);
  };
}

const NOBODY = fault(IamError.missingToken());
