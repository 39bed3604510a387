import { IamError } from "#core/iam-error.js";
import type { IamIdentity } from "#core/iam-identity.js";
import type { IamVerifier } from "#core/iam-verifier.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { SessionLookup } from "#core/session.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";
import { andThen } from "./session-store-calls.js";

interface Parts {
  readonly description: string;
  readonly perProcess: string | undefined;
  /** How many sessions this process has ended. */
  readonly ended: () => number;
  readonly load: (id: string) => MaybePromise<SessionLookup | StoreUnavailable>;
}

/**
 * Verifies the ids of sessions, as tokens. What remembers identities, as `cached`, forgets them
 * when a session is ended here or its `expiresAt` is over; one that another process ends, or that
 * idles too long, it remembers as long as it would.
 */
export class SessionVerifier implements IamVerifier {
  readonly description: string;
  readonly perProcess?: string;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.description = parts.description;
    if (parts.perProcess !== undefined) this.perProcess = parts.perProcess;
    this.#parts = parts;
  }

  get generation(): number {
    return this.#parts.ended();
  }

  readonly verify = (token: string): MaybePromise<IamIdentity | IamError> =>
    andThen(this.#parts.load(token), (found) => {
      if (found instanceof SessionFault)
        return IamError.verifierUnavailable("The store of sessions failed", found.cause);
      if (found.kind === "live") return { ...found.session.identity, expiresAt: found.session.expiresAt };
      return found.kind === "expired" ? IamError.expired() : UNKNOWN;
    });
}

const UNKNOWN = IamError.invalidToken("There is no session of this id");
