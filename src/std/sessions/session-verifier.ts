import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import { SessionFault } from "../faults.js";
import { keyOfId } from "./session-place.js";
import { andThen } from "./session-store-calls.js";
import type { Sessions } from "./sessions.js";

/**
 * Verifies the ids of sessions, as tokens. What remembers identities, as `cached`, forgets them
 * when a session is ended here or its `expiresAt` is over; one that another process ends, or that
 * idles too long, it remembers as long as it would.
 */
export class SessionVerifier implements IamVerifier {
  readonly description: string;
  readonly perProcess?: string;
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.description = `session: ${sessions.description}`;
    if (sessions.perProcess !== undefined) this.perProcess = sessions.perProcess;
    this.#sessions = sessions;
  }

  get generation(): number {
    return this.#sessions.ended;
  }

  readonly verify = (token: string): MaybePromise<IamIdentity | IamError> => {
    const key = keyOfId(token);
    if (key === undefined) return UNKNOWN;
    return andThen(this.#sessions.load(key), (found) => {
      if (found instanceof SessionFault)
        return IamError.verifierUnavailable("The store of sessions failed", found.cause);
      if (found.kind === "live") return { ...found.session.identity, expiresAt: found.session.expiresAt };
      return found.kind === "expired" ? IamError.expired() : UNKNOWN;
    });
  };
}

const UNKNOWN = IamError.invalidToken("There is no session of this id");
