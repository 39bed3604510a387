// What a CachedVerifier remembers, in no more places than it may.
//
// - What is over, by its own end or by age, is never answered. A clock that was set back to
//   before an identity was remembered ends it too: how old it is nobody knows then.
// - One subject has a share of the places and no more. Whoever asks for token after token
//   takes places from himself alone.
// - For a newcomer that finds no place goes who was not asked for since the hand last came
//   by (the "clock" of page replacement). That costs a hit one store, where keeping them in
//   the order of use would cost it as much as the look-up.

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

/** How many the hand passes for one newcomer, where all were asked for: it must not hold up a request. */
const MAX_PASSED = 64;

export class CachedIdentities {
  readonly #bounds: Bounds;
  readonly #byKey = new Map<string, Remembered>();
  /** A subject's own, those that came first in front. Of all its issuers. */
  readonly #bySubject = new Map<string, Remembered[]>();
  readonly #places: Remembered[] = [];
  /** Looked at where there is no place left alone: it is below `maxEntries` always. */
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

  /** `from`: when its verification began. `now` is later where that took time. */
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

  /** Without an issuer: whoever vouches for the subject. */
  forgetSubject(subject: string, issuer: string | undefined): void {
    for (const entry of this.#bySubject.get(subject)?.toReversed() ?? [])
      if (issuer === undefined || entry.identity.issuer === issuer) this.#remove(entry);
  }

  clear(): void {
    this.#byKey.clear();
    this.#bySubject.clear();
    this.#places.length = 0;
  }

  /** Of one issuer: another's subject of that name is somebody else. */
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
    // Who came last stands in its place now, and is safe until the hand has been all around.
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

// So that a clock which says NaN makes nobody good.
const isGood = ({ from, until }: Remembered, now: number): boolean => from <= now && now < until;
