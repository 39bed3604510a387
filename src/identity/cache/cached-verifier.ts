// Verifies a token once and answers from memory while that is as good as verifying it again.
//
// - Nothing is remembered under the token itself: whoever reads the memory of the process
//   finds digests. Nor does a look-up compare secrets, which would take the longer the
//   more of one was guessed.
// - Refusals are not remembered. Whoever forges tokens can send another one each time, and
//   would fill the places of others; and what is refused today may be good after a rotation.
// - A verification counts from its beginning. What is forgotten while it runs is not
//   remembered after it, and nobody who comes later is told its answer.

import { hash } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import { type IamVerifier, remembersBy, type Verification } from "#core/iam/iam-verifier.js";
import { keptIdentity } from "#core/iam/owned-identity.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { isThenable } from "#core/thenable.js";
import { type Bounds, CachedIdentities } from "./cached-identities.js";
import { CachedVerification } from "./cached-verification.js";

export interface CachedOptions {
  /** Identities remembered at once, 1 to 10 000 000. Default 10 000, which take about 10 MB. */
  readonly maxEntries?: number;
  /** How many of them may be one subject's, by one issuer: 1 to 10 000. Default a hundredth of `maxEntries`, but 8 to 1000. */
  readonly maxPerSubject?: number;
  /** How long one is remembered, in milliseconds, 1 to 86 400 000. Default 60 000. */
  readonly maxAgeMs?: number;
  /** Milliseconds since 1970. Default: the process's own. */
  readonly now?: () => number;
}

type Answer = IamIdentity | IamError;
type Subject = Pick<IamIdentity, "subject" | "issuer">;

/** As long as a run waits for its verifier. One that hangs must not hang those who come later too. */
const MAX_SHARED_MS = 5000;

/** Subjects forgotten while verifications run. Beyond that none of these is remembered. */
const MAX_FORGOTTEN = 1000;

/**
 * Remembers what another verifier has found: by the token's SHA-256, never beyond `expiresAt`,
 * `maxAgeMs` or a change of the verifier's `generation`. Tokens sent meanwhile wait for the one
 * verification that runs. Identities are frozen: they go to many runs.
 *
 * `forget` and its like reach this process alone. Others remember up to `maxAgeMs`, which is
 * therefore how long a revoked token may still be good.
 */
export class CachedVerifier implements IamVerifier {
  readonly description: string;
  readonly perProcess?: string;
  readonly #verifier: IamVerifier;
  readonly #now: () => number;
  readonly #identities: CachedIdentities;
  #generation: number | undefined;
  /** Those that who comes now may wait for. */
  readonly #shared = new Map<
    string,
    { readonly run: CachedVerification; readonly answer: Promise<Answer> }
  >();
  /** Those whose answers may be remembered. */
  readonly #running = new Set<CachedVerification>();
  /** Since there was nothing in `#running`. */
  #forgotten: { readonly subject: string; readonly issuer: string | undefined }[] = [];

  /** Throws CONFIG_INVALID. */
  constructor(verifier: IamVerifier, options: CachedOptions = {}) {
    if (typeof (verifier as Partial<IamVerifier> | undefined)?.verify !== "function")
      throw invalidOption(
        "cached(verifier)",
        "give a verifier, such as new JwtVerifier(...): it has a function `verify`",
      );
    const { now, ...bounds } = checkedOptions(options);
    this.#verifier = verifier;
    this.#now = now;
    this.#identities = new CachedIdentities(bounds);
    this.#generation = verifier.generation;
    this.description = `${verifier.description ?? "A verifier"}, remembered for ${bounds.maxAgeMs} ms`;
    if (verifier.perProcess !== undefined) this.perProcess = verifier.perProcess;
    remembersBy(this.verify, (token) => this.#recall(token));
  }

  get generation(): number {
    return this.#verifier.generation ?? 0;
  }

  get clockSkewMs(): number {
    return this.#verifier.clockSkewMs ?? 0;
  }

  /** How many identities it remembers. */
  get size(): number {
    return this.#identities.size;
  }

  readonly verify = (token: string, verification: Verification): MaybePromise<Answer> => {
    // Half a surrogate pair has no bytes: all that differ in them would have one digest.
    if (!isWellFormed(token)) return this.#verifier.verify(token, verification);
    const key = hash("sha256", token, "binary");
    this.#followGeneration();
    const now = this.#now();
    const known = this.#identities.find(key, now);
    if (known !== undefined) return known;
    const shared = this.#shared.get(key);
    if (shared !== undefined && isRecent(shared.run, now))
      return this.#wait(shared.run, shared.answer, verification);
    return this.#begin(token, key, now, verification);
  };

  #recall(token: string): IamIdentity | undefined {
    // As in `verify`, which is asked where this knows nothing, and throws what this would.
    if (!isWellFormed(token)) return undefined;
    try {
      this.#followGeneration();
      return this.#identities.find(hash("sha256", token, "binary"), this.#now());
    } catch {
      return undefined;
    }
  }

  /** To be called when a token is revoked. */
  forget(token: string): void {
    const key = hash("sha256", token, "binary");
    this.#identities.forget(key);
    this.#shared.delete(key);
    for (const run of this.#running) if (run.key === key) this.#running.delete(run);
  }

  /** All that the subject has: to be called when it logs out everywhere, or may do less. Without an issuer, of all issuers. */
  forgetSubject(subject: string, issuer?: string): void {
    this.#identities.forgetSubject(subject, issuer);
    // Whose the tokens are that are being verified is not known yet.
    this.#shared.clear();
    if (this.#running.size > 0) this.#forgotten.push({ subject, issuer });
    if (this.#forgotten.length > MAX_FORGOTTEN) this.#forgetRunning();
  }

  clear(): void {
    this.#identities.clear();
    this.#shared.clear();
    this.#forgetRunning();
  }

  #forgetRunning(): void {
    this.#running.clear();
    this.#forgotten = [];
  }

  #followGeneration(): void {
    const { generation } = this.#verifier;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.clear();
  }

  #begin(token: string, key: string, now: number, verification: Verification): MaybePromise<Answer> {
    const run = new CachedVerification(key, now, this.#forgotten.length);
    this.#running.add(run);
    let answer: unknown;
    try {
      answer = this.#verifier.verify(token, run);
    } catch (thrown) {
      this.#end(run);
      throw thrown;
    }
    if (!isThenable(answer)) return this.#learnt(run, answer);
    const learnt = Promise.resolve(answer).then(
      (settled) => this.#learnt(run, settled),
      (thrown: unknown) => {
        this.#end(run);
        throw thrown;
      },
    );
    // A verifier may have forgotten, or rotated, before it answered a promise.
    if (this.#running.has(run)) this.#shared.set(key, { run, answer: learnt });
    return this.#wait(run, learnt, verification);
  }

  #wait(run: CachedVerification, answer: Promise<Answer>, { signal }: Verification): Promise<Answer> {
    return run.wait(answer, signal, () => this.#end(run));
  }

  /** What nobody understands goes on as it is: whoever asked judges it. */
  #learnt(run: CachedVerification, answer: unknown): Answer {
    try {
      const identity = keptIdentity(answer);
      if (identity === undefined) return answer as Answer;
      this.#followGeneration();
      if (this.#running.has(run) && !this.#isForgotten(identity, run.forgottenBefore))
        this.#identities.remember(run.key, identity, run.from, this.#now());
      return identity;
    } finally {
      this.#end(run);
    }
  }

  #isForgotten({ subject, issuer }: Subject, before: number): boolean {
    return this.#forgotten
      .slice(before)
      .some(
        (forgotten) =>
          forgotten.subject === subject && (forgotten.issuer === undefined || forgotten.issuer === issuer),
      );
  }

  #end(run: CachedVerification): void {
    this.#running.delete(run);
    if (this.#running.size === 0) this.#forgotten = [];
    if (this.#shared.get(run.key)?.run === run) this.#shared.delete(run.key);
  }
}

/** {@link CachedVerifier}. Throws CONFIG_INVALID. */
export const cached = (verifier: IamVerifier, options: CachedOptions = {}): CachedVerifier =>
  new CachedVerifier(verifier, options);

function checkedOptions(options: CachedOptions): Bounds & { readonly now: () => number } {
  const call = "cached(verifier, options)";
  requireKnownOptions(call, options, ["maxEntries", "maxPerSubject", "maxAgeMs", "now"]);
  const { maxEntries = 10_000, maxAgeMs = 60_000, now = Date.now } = options;
  const { maxPerSubject = Math.min(Math.max(8, Math.floor(maxEntries / 100)), 1000) } = options;
  requireWhole(call, "maxEntries", maxEntries, 1, 10_000_000);
  requireWhole(call, "maxPerSubject", maxPerSubject, 1, 10_000);
  requireWhole(call, "maxAgeMs", maxAgeMs, 1, 86_400_000);
  if (typeof now !== "function")
    throw invalidOption(call, "now must be a function that answers milliseconds");
  return { maxEntries, maxPerSubject, maxAgeMs, now };
}

function isRecent({ from }: CachedVerification, now: number): boolean {
  return from <= now && now - from < MAX_SHARED_MS;
}

// The library of ES2023 does not know it yet; every Node.js that this runs on does. It costs 10 ns.
const isWellFormed = (text: string): boolean =>
  (text as unknown as { isWellFormed: () => boolean }).isWellFormed();
