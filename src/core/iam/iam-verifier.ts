import type { MaybePromise } from "../bus/outcome-types.js";
import { tamedController } from "../bus/tamed-controller.js";
import type { IamError } from "./iam-error.js";
import type { IamIdentity } from "./iam-identity.js";

export interface Verification {
  /** Aborts with the run, or when the verifier's time is up (5 s by default). Created at first use. */
  readonly signal: AbortSignal;
}

/**
 * Identifies the caller of a token. It returns an IamError and does not throw. A thrown error, or
 * a result that is neither an identity nor an IamError, is logged; to the client the token is
 * invalid.
 */
export interface IamVerifier {
  /** Its text in drawings: "JWT ES256 by https://issuer.example". Contains no secret. */
  readonly description?: string;
  /** State that it keeps in memory between runs: a warning is printed with several workers. */
  readonly perProcess?: string;
  /**
   * Changes when earlier verifications may be void: a key was rotated out. Caches of identities
   * are then cleared. Absent: it never changes.
   */
  readonly generation?: number;
  /**
   * How long after its `expiresAt` it admits an identity, in milliseconds, for clocks that differ.
   * Caches drop the identity at its `expiresAt`. Default 0.
   */
  readonly clockSkewMs?: number;
  readonly verify: (token: string, verification: Verification) => MaybePromise<IamIdentity | IamError>;
}

type Verify = IamVerifier["verify"];

/** The identity of a token that was verified before and is still valid; undefined if unknown. Never throws. */
export type Recall = (token: string) => IamIdentity | undefined;

/** By function: a replaced or wrapped verifier must be called each time. */
const recalls = new WeakMap<Verify, Recall>();

/** Called by a verifier with a cache: `recall` returns at once what `verify` would have returned. */
export const remembersBy = (verify: Verify, recall: Recall): void => void recalls.set(verify, recall);

export const recallOf = (verify: Verify): Recall | undefined => recalls.get(verify);

/** Abort of a run. Read only if the verifier uses the signal. */
interface Abortable {
  readonly signal: AbortSignal;
}

const REPORT = "A listener of a verification's signal threw";

/** One call of a verifier. Most never read the signal: an AbortController costs 387 B. */
export class RunVerification implements Verification {
  readonly #run: Abortable;
  #controller: AbortController | undefined = undefined;
  /** Why its result is no longer needed. */
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

  /** Its result is no longer needed: aborts its signal. */
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
