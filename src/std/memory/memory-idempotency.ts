import { type Clock, systemClock } from "#core/clock.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { OldestEntry } from "#core/oldest-entry.js";
import type {
  IdempotencyClaim,
  IdempotencyLease,
  IdempotencyStore,
  KeptAnswer,
} from "#core/ports/idempotency-store.js";

export interface MemoryIdempotencyOptions {
  /** Maximum number of keys, claimed or with a response. Default 100 000. */
  readonly maxEntries?: number;
  /** Maximum size of all responses together. Default 64 MiB. */
  readonly maxBytes?: number;
  /** For tests. Default: the process's own. */
  readonly clock?: Clock;
}

interface Running {
  readonly token: string;
  readonly fingerprint: string;
  readonly until: number;
}

interface Kept {
  readonly fingerprint: string;
  readonly answer: KeptAnswer | undefined;
  readonly until: number;
  readonly bytes: number;
}

/**
 * Responses in the memory of one process: for a single process, and for tests. At its limits the
 * oldest responses are evicted. A later repetition of their request runs again.
 */
export class MemoryIdempotency implements IdempotencyStore {
  readonly perProcess = "answers in memory, which other processes do not have";
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  // Each in order of insertion.
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, Kept>();
  readonly #oldest = new OldestEntry(this.#kept);
  #bytes = 0;
  #lastToken = 0;

  /** Throws CONFIG_INVALID. */
  constructor(options: MemoryIdempotencyOptions = {}) {
    requireKnownOptions("MemoryIdempotency", options, ["maxEntries", "maxBytes", "clock"]);
    const { maxEntries = 100_000, maxBytes = 67_108_864, clock = systemClock } = options;
    for (const [name, value] of Object.entries({ maxEntries, maxBytes })) {
      const call = `MemoryIdempotency({ ${name}: ${value} })`;
      if (!Number.isSafeInteger(value) || value < 1)
        throw invalidOption(call, `${name} must be a positive whole number`);
    }
    if (typeof clock?.now !== "function")
      throw invalidOption("MemoryIdempotency({ clock })", "it has no function 'now'");
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** Number of keys, claimed or with a response. */
  get size(): number {
    return this.#running.size + this.#kept.size;
  }

  readonly claim = (
    key: string,
    fingerprint: string,
    leaseMs: number,
    _subject?: string,
    _host?: string,
  ): IdempotencyClaim => {
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > now)
      return { kind: "kept", fingerprint: kept.fingerprint, answer: kept.answer };
    this.#forget(key);
    const running = this.#running.get(key);
    if (running !== undefined && running.until > now)
      return { kind: "running", fingerprint: running.fingerprint };
    this.#running.delete(key);
    if (!this.#hasRoom(now)) return { kind: "full" };
    this.#lastToken += 1;
    const token = String(this.#lastToken);
    this.#running.set(key, { token, fingerprint, until: now + leaseMs });
    return { kind: "first", lease: { key, token } };
  };

  readonly keep = (
    { key, token }: IdempotencyLease,
    answer: KeptAnswer | undefined,
    ttlMs: number,
  ): boolean => {
    const running = this.#running.get(key);
    // hole: a run that has lost its lease would replace the response
    if (running?.token !== token) return false;
    const { fingerprint } = running;
    const bytes = (answer?.headers.length ?? 0) + (answer?.body?.length ?? 0);
    if (bytes > this.#maxBytes)
      throw new RangeError(`An answer of ${bytes} bytes has no room in the ${this.#maxBytes} of the store`);
    while (this.#bytes + bytes > this.#maxBytes) this.#forget(this.#oldest.get()?.[0] as string);
    this.#running.delete(key);
    this.#kept.set(key, { fingerprint, answer, until: this.#clock.now() + ttlMs, bytes });
    this.#bytes += bytes;
    return true;
  };

  readonly release = ({ key, token }: IdempotencyLease): boolean =>
    this.#running.get(key)?.token === token && this.#running.delete(key);

  // Expired responses are removed as new keys arrive: each is checked once.
  #hasRoom(now: number): boolean {
    for (let oldest = this.#oldest.get(); oldest !== undefined; oldest = this.#oldest.get()) {
      const [key, { until }] = oldest;
      if (until > now && this.size < this.#maxEntries) break;
      this.#forget(key);
    }
    for (const [key, { until }] of this.#running) {
      if (until > now || this.size < this.#maxEntries) break;
      this.#running.delete(key);
    }
    return this.size < this.#maxEntries;
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}
