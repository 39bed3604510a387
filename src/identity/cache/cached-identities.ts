// The identities of a CachedVerifier, within a fixed number of places.
//
// - An expired or too old identity is never returned. Nor is one that was stored after the current
//   time: the clock was set back, and the age is unknown.
// - A subject has a limited share of the places: a caller with many tokens evicts only its own.
// - Eviction is by the "clock" algorithm of page replacement: it evicts an identity that was not
//   used since the last pass of the hand. A hit then costs one store. Keeping the order of use would
//   cost as much as the look-up.

import type { IamIdentity } from "#core/iam/iam-identity.js";

export interface Bounds {
  readonly maxEntries: number;
  readonly maxPerSubject: number;
  readonly maxAgeMs: number;
}

interface Remembered {
  readonly key: string;
  readonly identity: IamIdentity;
  readonly from: number;
  readonly until: number;
  place: number;
  used: boolean;
}

/** Maximum number of used identities that the hand passes for one eviction: it must not delay a request. */
const MAX_PASSED = 64;

export class CachedIdentities {
  readonly #bounds: Bounds;
  readonly #byKey = new Map<string, Remembered>();
  /** Identities of each subject, of all its issuers, oldest first. */
  readonly #bySubject = new Map<string, Remembered[]>();
  readonly #places: Remembered[] = [];
  /** Position of the hand. Only read when no place is free. Always below `maxEntries`. */
  #hand = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#places.length;
  }

  find(key: string, now: number): IamIdentity | undefined {
    const found = this.#byKey.get(key);
    if (found === undefined) return undefined;
    if (!isGood(found, now)) {
      this.#remove(found);
      return undefined;
    }
    found.used = true;
    return found.identity;
  }

  /** `from`: start of the verification. `now` is later if it took time. */
  remember(key: string, identity: IamIdentity, from: number, now: number): void {
    this.forget(key);
    const until = Math.min(from + this.#bounds.maxAgeMs, identity.expiresAt ?? Number.POSITIVE_INFINITY);
    const entry: Remembered = { key, identity, from, until, place: 0, used: false };
    if (!isGood(entry, now)) return;
    this.#keepToShare(identity);
    if (this.#places.length >= this.#bounds.maxEntries) this.#makeRoom(now);
    entry.place = this.#places.push(entry) - 1;
    this.#byKey.set(key, entry);
    const own = this.#bySubject.get(identity.subject);
    if (own === undefined) this.#bySubject.set(identity.subject, [entry]);
    else own.push(entry);
  }

  forget(key: string): void {
    const found = this.#byKey.get(key);
    if (found !== undefined) this.#remove(found);
  }

  /** Without an issuer: the subject of every issuer. */
  forgetSubject(subject: string, issuer: string | undefined): void {
    for (const entry of this.#bySubject.get(subject)?.toReversed() ?? [])
      if (issuer === undefined || entry.identity.issuer === issuer) this.#remove(entry);
  }

  clear(): void {
    this.#byKey.clear();
    this.#bySubject.clear();
    this.#places.length = 0;
  }

  /** Counts one issuer only: the same subject of another issuer is another caller. */
  #keepToShare({ subject, issuer }: IamIdentity): void {
    const own = this.#bySubject.get(subject)?.filter((entry) => entry.identity.issuer === issuer) ?? [];
    if (own.length >= this.#bounds.maxPerSubject) this.#remove(own[0] as Remembered);
  }

  #makeRoom(now: number): void {
    let entry = this.#places[this.#hand] as Remembered;
    for (let passed = 0; entry.used && passed < MAX_PASSED && isGood(entry, now); passed += 1) {
      entry.used = false;
      this.#moveHand();
      entry = this.#places[this.#hand] as Remembered;
    }
    this.#remove(entry);
    // The newest identity takes this place, and is safe until the hand has passed all the others.
    this.#moveHand();
  }

  #moveHand(): void {
    this.#hand = this.#hand + 1 < this.#places.length ? this.#hand + 1 : 0;
  }

  #remove(entry: Remembered): void {
    const { key, identity, place } = entry;
    this.#byKey.delete(key);
    const own = this.#bySubject.get(identity.subject) as Remembered[];
    if (own.length === 1) this.#bySubject.delete(identity.subject);
    else own.splice(own.lastIndexOf(entry), 1);
    const last = this.#places.pop() as Remembered;
    if (last !== entry) {
      this.#places[place] = last;
      last.place = place;
    }
  }
}

// Also false if the clock returns NaN.
const isGood = ({ from, until }: Remembered, now: number): boolean => from <= now && now < until;
