import { MAX_TIMER_MS, monotonicMs } from "#core/clock.js";
import type { RateLimitStore } from "#core/rate-limit-store.js";
import { exactRate } from "./exact-rate.js";
import { invalidOption, requireKnownOptions } from "./invalid-option.js";
import type { MemoryRateLimitsOptions } from "./memory-rate-limits.js";

/** `maxClients` and `onFull` are those of the store in memory that the guard makes for itself. */
export interface RateLimitOptions extends MemoryRateLimitsOptions {
  /** What one request takes of `maxRequests`: a whole number up to that. Default 1. */
  readonly cost?: number;
  /**
   * Where rates are counted instead of in the guard's own memory. Guards of one store that
   * have one name, `maxRequests` and `windowMs` share their clients' buckets; those without
   * a name share none.
   */
  readonly store?: RateLimitStore;
  /** How long the store may take. Default 500. */
  readonly storeTimeoutMs?: number;
  /** What happens where the store fails: "refuse" answers 503, "admit" lets everybody in. Default "refuse". */
  readonly onStoreFailure?: "refuse" | "admit";
  /** Milliseconds that never go back. Default: the process's own. */
  readonly now?: () => number;
  /** The guard's name, and its policy's in headers: letters, digits, "-", "_" and ".". Default "RateLimitGuard" and "default". */
  readonly name?: string;
}

/** The same with defaults in place; those of the store in memory are its own to check. */
export interface CheckedOptions {
  readonly cost: number;
  readonly store: RateLimitStore | undefined;
  readonly storeTimeoutMs: number;
  readonly onStoreFailure: "refuse" | "admit";
  readonly now: () => number;
  readonly name: string | undefined;
  readonly memory: MemoryRateLimitsOptions;
}

/** The compiler sees that none is missing. */
const KNOWN: Readonly<Record<keyof RateLimitOptions, true>> = {
  cost: true,
  store: true,
  storeTimeoutMs: true,
  onStoreFailure: true,
  now: true,
  name: true,
  maxClients: true,
  onFull: true,
};

/** The largest integer that a structured field can say (RFC 9651, section 3.3.1). */
const LARGEST = 999_999_999_999_999;

const NAME = /^[\w.-]{1,64}$/;

/** Throws CONFIG_INVALID, which names `call`. */
export function checkedOptions(
  call: string,
  maxRequests: number,
  windowMs: number,
  options: RateLimitOptions,
): CheckedOptions {
  requireKnownOptions(call, options, Object.keys(KNOWN));
  const { cost = 1, store, storeTimeoutMs = 500, onStoreFailure = "refuse", name, ...others } = options;
  const { now = monotonicMs, ...memory } = others;
  const must = (holds: boolean, remedy: string): void => {
    if (!holds) throw invalidOption(call, remedy);
  };
  must(isCount(maxRequests, LARGEST), "maxRequests must be a positive integer of at most 15 digits");
  must(isCount(windowMs, LARGEST), "windowMs must be a positive whole number of milliseconds");
  must(
    exactRate({ capacity: maxRequests, windowMs }) !== undefined,
    "so many requests in this time cannot be counted exactly: use numbers that are rounder or smaller, as 5000 and 60000",
  );
  must(isCount(cost, maxRequests), `cost must be a whole number from 1 to maxRequests, ${maxRequests}`);
  must(typeof now === "function", "now must be a function that answers milliseconds");
  must(
    store === undefined || typeof (store as Partial<RateLimitStore> | null)?.take === "function",
    "store must have a function 'take'",
  );
  must(
    store === undefined || (memory.maxClients === undefined && memory.onFull === undefined),
    "maxClients and onFull are about the guard's own memory: give them to the store",
  );
  must(
    isCount(storeTimeoutMs, MAX_TIMER_MS),
    `storeTimeoutMs must be a whole number of milliseconds from 1 to ${MAX_TIMER_MS}`,
  );
  must(
    onStoreFailure === "refuse" || onStoreFailure === "admit",
    'onStoreFailure must be "refuse" or "admit"',
  );
  must(
    name === undefined || (typeof name === "string" && NAME.test(name)),
    'name must have 1 to 64 letters, digits, "-", "_" or "."',
  );
  return { cost, store, storeTimeoutMs, onStoreFailure, now, name, memory };
}

const isCount = (value: number, greatest: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= greatest;
