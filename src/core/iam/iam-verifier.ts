import type { MaybePromise } from "../bus/outcome-types.js";
import { tamedController } from "../bus/tamed-controller.js";
import type { IamError } from "./iam-error.js";
import type { IamIdentity } from "./iam-identity.js";

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
  readonly verify: (token: string, verification: Verification) => MaybePromise<IamIdentity | IamError>;
}

type Verify = IamVerifier["verify"];

/** Whose a token is that was verified before and counts yet; undefined for what is not known, a token or not. Never throws. */
export type Recall = (token: string) => IamIdentity | undefined;

/** By the function: another one in its place, or around it, has to be asked each time. */
const recalls = new WeakMap<Verify, Recall>();

/** To be called by a verifier that remembers: `recall` answers at once what `verify` would have. */
export const remembersBy = (verify: Verify, recall: Recall): void => void recalls.set(verify, recall);

export const recallOf = (verify: Verify): Recall | undefined => recalls.get(verify);

/** What a run tells of its abort. Asked only where the verifier asks. */
interface Abortable {
  readonly signal: AbortSignal;
}

const REPORT = "A listener of a verification's signal threw";

/** One call of a verifier. Most never ask for the signal: an AbortController costs 387 B. */
export class RunVerification implements Verification {
  readonly #run: Abortable;
  #controller: AbortController | undefined = undefined;
  /** Why its result is not wanted any more. */
  #over: Error | undefined = undefined;

  constructor(run: Abortable) {
    this.#run = run;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = tamedController(REPORT);
      if (this.#over === undefined) this.#follow(this.#controller);
      else this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Its result is not wanted any more: its signal aborts. */
  end(why: Error): void {
    this.#over = why;
    this.#controller?.abort(why);
  }

  answered(): void {
    this.#over = ANSWERED;
  }

  #follow(controller: AbortController): void {
    const { signal } = this.#run;
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: controller.signal });
  }
}

const ANSWERED = new Error("The verifier has answered");
