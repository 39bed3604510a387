import { type Clock, systemClock } from "#core/clock.js";
import type { LockLease, LockProvider } from "#core/ports/lock.js";

interface Held {
  readonly token: number;
  until: number;
}

/** Locks in the memory of this process: for a single process, and for tests. */
export class MemoryLocks implements LockProvider {
  readonly perProcess = "its lock in memory, which other processes do not see";
  readonly #clock: Clock;
  // Only held locks: a released key leaves no entry.
  readonly #held = new Map<string, Held>();
  // One counter for all keys, so that no key needs its own.
  #lastToken = 0;

  /** `clock` is for tests. Default: the clock of the process. */
  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock;
  }

  readonly acquire = (key: string, ttlMs: number): LockLease | undefined => {
    const now = this.#clock.now();
    const held = this.#held.get(key);
    if (held !== undefined && held.until > now) return undefined;
    this.#lastToken += 1;
    const token = this.#lastToken;
    this.#held.set(key, { token, until: now + ttlMs });
    return { key, token };
  };

  readonly renew = (lease: LockLease, ttlMs: number): boolean => {
    const held = this.#heldBy(lease);
    if (held === undefined) return false;
    held.until = this.#clock.now() + ttlMs;
    return true;
  };

  readonly release = (lease: LockLease): boolean =>
    this.#heldBy(lease) !== undefined && this.#held.delete(lease.key);

  #heldBy({ key, token }: LockLease): Held | undefined {
    const held = this.#held.get(key);
    return held?.token === token && held.until > this.#clock.now() ? held : undefined;
  }
}
