import type { IamError } from "./iam-error.js";
import type { IamIdentity } from "./iam-identity.js";
import type { MaybePromise } from "./outcome-types.js";

/** What a verifier is told beside the token. */
export interface Verification {
  /** Aborts when the run does, or after the 5 s that a verifier may take. Made when it is first asked for. */
  readonly signal: AbortSignal;
}

/**
 * Says whose a token is. It answers an IamError, and does not throw: what is thrown, and what
 * is neither an identity nor an IamError, is an invalid token to the client, and is logged.
 */
export interface IamVerifier {
  /** What it is drawn as: "JWT ES256 by https://issuer.example". No secret in it. */
  readonly description?: string;
  /** What it keeps in memory from run to run: several workers are warned of it. */
  readonly perProcess?: string;
  /**
   * Changes when what was verified before may count no more: a key was rotated out. What
   * remembers identities forgets them then. Absent: it never changes.
   */
  readonly generation?: number;
  /**
   * How long after its `expiresAt` it lets an identity in, in milliseconds, since the clock that
   * set the end may differ. Nobody remembers one for as long. Default 0.
   */
  readonly clockSkewMs?: number;
  /**
   * Whose a token is that it has verified before and that counts yet: it is asked first, and what
   * it does not know is verified. Of texts too that are no tokens, of up to 8192 characters.
   */
  readonly remembered?: (token: string) => IamIdentity | undefined;
  readonly verify: (token: string, verification: Verification) => MaybePromise<IamIdentity | IamError>;
}
