// Verifies a token once and returns the cached identity as long as it would be verified again.
//
// - The cache is keyed by digests: a memory dump contains no tokens, and the time of a look-up
//   reveals no part of one.
// - Refusals are not cached: forged tokens would evict valid ones, and a token refused today may be
//   valid after a key rotation.
// - An identity's age counts from the start of its verification. A token forgotten meanwhile is not
//   cached afterwards, and its result is not given to later callers.

import { hash } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { declareBy } from "#core/flow/used-store.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import { type IamVerifier, remembersBy, type Verification } from "#core/iam/iam-verifier.js";
import { keptIdentity } from "#core/iam/owned-identity.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
import { isThenable } from "#core/thenable.js";
import { type Bounds, CachedIdentities } from "./cached-identities.js";
import { CachedVerification } from "./cached-verification.js";

export interface CachedOptions {
  /** Maximum number of cached identities, 1 to 10 000 000. Default 10 000, which take about 10 MB. */
  readonly maxEntries?: number;
  /** Maximum number of them for one subject of one issuer: 1 to 10 000. Default a hundredth of `maxEntries`, within 8 to 1000. */
  readonly maxPerSubject?: number;
  /** Cache time in milliseconds, 1 to 86 400 000. Default 60 000. */
  readonly maxAgeMs?: number;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
}

type Answer = IamIdentity | IamError;
type Subject = Pick<IamIdentity, "subject" | "issuer">;

/** The time limit of a run for its verifier. A verification that hangs must not block later callers too. */
const MAX_SHARED_MS = 5000;

/** Maximum number of subjects forgotten during verifications. Beyond it the results of these are not cached. */
const MAX_FORGOTTEN = 1000;

/**
 * Caches identities of another verifier: by the token's SHA-256, never beyond `expiresAt`,
 * `maxAgeMs` or a change of the verifier's `generation`. Concurrent requests with one token share
 * a verification. Identities are frozen, as many runs share them.
 *
 * `forget` and `forgetSubject` act on this process only. Other processes cache up to `maxAgeMs`:
 * a revoked token may stay valid for that long.
 */
export class CachedVerifier implements IamVerifier {
  readonly description: string;
  declare readonly perProcess?: string;
  readonly #verifier: IamVerifier;
  readonly #now: () => number;
  readonly #identities: CachedIdentities;
  #generation: number | undefined;
  /** Verifications that new callers may share. */
  readonly #shared = new Map<
    string,
    { readonly run: CachedVerification; readonly answer: Promise<Answer> }
  >();
  /** Verifications with results that may be cached. */
  readonly #running = new Set<CachedVerification>();
  /** Subjects forgotten since `#running` was last empty. */
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
    declareBy<CachedVerifier>(this, { perProcess: () => verifier.perProcess });
    remembersBy(this.verify, (token) => this.#recall(token));
  }

  get generation(): number {
    return this.#verifier.generation ?? 0;
  }

  get clockSkewMs(): number {
    return this.#verifier.clockSkewMs ?? 0;
  }

  /** Number of cached identities. */
  get size(): number {
    return this.#identities.size;
  }

  readonly verify = (token: string, verification: Verification): MaybePromise<Answer> => {
    // A lone surrogate has no bytes: texts that differ only there would share a digest.
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

  readonly useStores = (stores: StoreSet): (() => void) =>
    (this.#verifier as Partial<StoresUser>).useStores?.(stores) ?? (() => {});

  #recall(token: string): IamIdentity | undefined {
    // As in `verify`: if this knows nothing, `verify` is called and throws the same error.
    if (!isWellFormed(token)) return undefined;
    try {
      this.#followGeneration();
      return this.#identities.find(hash("sha256", token, "binary"), this.#now());
    } catch {
      return undefined;
    }
  }

  /** Call it when a token is revoked. */
  forget(token: string): void {
    const key = hash("sha256", token, "binary");
    this.#identities.forget(key);
    this.#shared.delete(key);
    for (const run of this.#running) if (run.key === key) this.#running.delete(run);
  }

  /** Forgets all identities of a subject: call it on a global logout or a loss of rights. Without an issuer, of all issuers. */
  forgetSubject(subject: string, issuer?: string): void {
    this.#identities.forgetSubject(subject, issuer);
    // The subjects of pending verifications are not known yet.
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
    // The verifier may have forgotten tokens, or rotated, while its promise was pending.
    if (this.#running.has(run)) this.#shared.set(key, { run, answer: learnt });
    return this.#wait(run, learnt, verification);
  }

  #wait(run: CachedVerification, answer: Promise<Answer>, { signal }: Verification): Promise<Answer> {
    return run.wait(answer, signal, () => this.#end(run));
  }

  /** Passes an unknown result on unchanged: the caller checks it. */
  #learnt(run: CachedVerification, answer: unknown): Answer {
    try {
      const identity = keptIdentity(answer);
      if (identity === undefined) return answer as Answer;
      this.#followGeneration();
      // hole: a revoked token would be remembered
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

// Missing in the ES2023 library types, present in every supported Node.js. It costs 10 ns.
const isWellFormed = (text: string): boolean =>
  (text as unknown as { isWellFormed: () => boolean }).isWellFormed();
