import { createHash } from "node:crypto";
import type { BusView } from "#core/bus/bus.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { FailureLog } from "#core/bus/log.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { MAX_TIMER_MS, monotonicMs } from "#core/clock.js";
import { guardCodes } from "#core/error-codes.js";
import { ClientIdentity } from "#core/facts/ingress-facts.js";
import { RateLimitHeaders, type ResponseHeaders, writtenHeader } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { declareBy, UsedStore } from "#core/flow/used-store.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/ports/rate-limit-store.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
import { isThenable } from "#core/thenable.js";
import { asStoreCall } from "#core/timeline/inner-span.js";
import { type GuardFault, guardFault } from "../faults.js";
import { inTime } from "../in-time.js";
import { exactRate, MemoryRateLimits, type MemoryRateLimitsOptions } from "../memory/memory-rate-limits.js";

/** `maxClients` and `onFull` apply to the guard's own store in memory. */
export interface RateLimitOptions extends MemoryRateLimitsOptions {
  /** Cost of one request out of `maxRequests`: a whole number up to that. Default 1. */
  readonly cost?: number;
  /**
   * What a store of all processes may take out of `maxRequests` at once, for later requests of this process:
   * fewer round trips, and what processes hold is refused to others meanwhile. Default 1: none is held.
   */
  readonly chunk?: number;
  /**
   * Counts for all processes. Default: the rates of the stores of the ingress which serves the guard, else
   * its own memory. Guards of one store with the same name, `maxRequests` and `windowMs` share their
   * clients' buckets. Guards without a name share none: they are told apart by their order.
   */
  readonly store?: RateLimitStore;
  /** Time limit of the store in milliseconds. Default 500. */
  readonly storeTimeoutMs?: number;
  /** If the store fails: "refuse" sends 503, "admit" admits every request. Default "refuse". */
  readonly onStoreFailure?: "refuse" | "admit";
  /** Monotonic time in milliseconds. Default: the system clock. */
  readonly now?: () => number;
  /** The guard's name, and its policy's in headers: letters, digits, "-", "_" and ".". Default "RateLimitGuard" and "default". */
  readonly name?: string;
}

const OPTIONS = [
  ...["cost", "chunk", "store", "storeTimeoutMs", "onStoreFailure", "now", "name", "maxClients", "onFull"],
];

/** The largest integer of a structured field (RFC 9651, section 3.3.1). */
const LARGEST = 999_999_999_999_999;

const NAME = /^[\w.-]{1,64}$/;

export type RateLimitFault = GuardFault<"RATE_LIMITED"> | GuardFault<"RATE_LIMIT_UNAVAILABLE">;

type Verdict = Pass | Fault<RateLimitFault>;
type View = BusView<typeof ClientIdentity, typeof RateLimitHeaders, typeof FailureLog>;

/**
 * Limits the rate of each client by a token bucket: a burst of `maxRequests`, refilled evenly over
 * `windowMs`. Further requests receive 429 with Retry-After. Responses state the remaining requests
 * in the headers of draft-ietf-httpapi-ratelimit-headers-11.
 */
export class RateLimitGuard
  implements
    Guard<RateLimitFault, typeof ClientIdentity, typeof RateLimitHeaders, typeof FailureLog>,
    StoresUser
{
  readonly name: string;
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [ClientIdentity] as const;
  readonly writes = [RateLimitHeaders] as const;
  readonly mayRead = [FailureLog] as const;
  readonly responseHeaders: ResponseHeaders;
  declare readonly responses: readonly DeclaredResponse[];
  declare readonly perProcess?: string;
  readonly #limit: RateLimit;
  /** In requests, not in tokens. */
  readonly #maxRequests: number;
  readonly #policy: { readonly name: string; readonly header: string };
  readonly #store: UsedStore<RateLimitStore>;
  /** What it is called in each store without a name of its own. */
  readonly #names = new WeakMap<RateLimitStore, string>();
  /** What its keys in the current store begin with. */
  #owner = "";
  readonly #options: ReturnType<typeof checkedOptions>;

  /** Throws CONFIG_INVALID. */
  constructor(maxRequests: number, windowMs: number, options: RateLimitOptions = {}) {
    const call = `RateLimitGuard(${shown(maxRequests)}, ${shown(windowMs)})`;
    const checked = checkedOptions(call, maxRequests, windowMs, options);
    const { store, name, cost, chunk } = checked;
    const policy = name ?? "default";
    this.name = name ?? "RateLimitGuard";
    this.description = `At most ${maxRequests} requests in ${windowMs} ms by each client`;
    this.#limit = { capacity: maxRequests, windowMs, cost, ...(chunk > 1 && { chunk }) };
    this.#maxRequests = Math.floor(maxRequests / cost);
    this.#options = checked;
    this.#store = new UsedStore(call, store, () => new MemoryRateLimits(checked.memory, call));
    const refused = declaredOf(guardCodes, "RATE_LIMITED");
    const failing = declaredOf(guardCodes, "RATE_LIMITED", "RATE_LIMIT_UNAVAILABLE");
    const isRefusing = checked.onStoreFailure === "refuse";
    declareBy<RateLimitGuard>(this, {
      responses: () => (isRefusing && this.#store.shared !== undefined ? failing : refused),
      perProcess: () => this.#store.current.perProcess,
    });
    this.#follow();
    // The header has whole seconds. A longer window promises no more than is granted.
    this.#policy = { name: policy, header: `"${policy}";q=${this.#maxRequests};w=${seconds(windowMs)}` };
    this.responseHeaders = {
      always: { "ratelimit-policy": this.#policy.header },
      written: [
        writtenHeader(RateLimitHeaders, "ratelimit", ({ remaining, resetSeconds }) =>
          remaining === undefined ? undefined : `"${policy}";r=${remaining};t=${resetSeconds}`,
        ),
      ],
    };
  }

  readonly useStores = ({ rates }: StoreSet): (() => void) => {
    const end = this.#store.use(rates);
    this.#follow();
    return () => {
      end();
      this.#follow();
    };
  };

  #follow(): void {
    const { shared } = this.#store;
    if (shared === undefined) {
      this.#owner = "";
      return;
    }
    const name = this.#options.name ?? this.#names.get(shared) ?? nameIn(shared);
    this.#names.set(shared, name);
    const { capacity, windowMs } = this.#limit;
    this.#owner = `${name}:${capacity}/${windowMs}:`;
  }

  readonly run = (input: unknown, bus: View): MaybePromise<Verdict> => {
    const key = this.#owner + bounded(bus.get(ClientIdentity));
    const now = this.#options.now();
    let answer: unknown;
    try {
      answer = this.#store.current.take(key, this.#limit, now);
      if (isThenable(answer))
        answer = asStoreCall(bus, "RateLimitStore.take", inTime(answer, this.#options.storeTimeoutMs));
    } catch (cause) {
      return this.#unavailable(cause, input, bus);
    }
    if (!(answer instanceof Promise)) return this.#decided(answer, input, bus);
    return answer.then(
      (settled) => this.#decided(settled, input, bus),
      (cause) => this.#unavailable(cause, input, bus),
    );
  };

  #decided(answer: unknown, input: unknown, bus: View): Verdict {
    // hole: a broken store would switch the limit off
    if (!isVerdict(answer)) {
      return this.#unavailable(new TypeError("The store answered no verdict"), input, bus);
    }
    const { allowed, remaining, resetMs, retryAfterMs } = answer;
    bus.set(RateLimitHeaders, {
      limit: this.#maxRequests,
      remaining: Math.floor(remaining / this.#limit.cost),
      resetSeconds: seconds(resetMs),
    });
    return allowed ? pass(input) : this.#refused(Math.max(seconds(retryAfterMs), 1));
  }

  // Writes both headers again: a refusal describes the policy of the refusing guard. The two times are
  // equal, as no client should retry before the announced window.
  #refused(afterSeconds: number): Fault<GuardFault<"RATE_LIMITED">> {
    const { name, header } = this.#policy;
    return guardFault("RATE_LIMITED", {
      detail: `Try again in ${afterSeconds} s`,
      headers: {
        "retry-after": `${afterSeconds}`,
        "ratelimit-policy": header,
        ratelimit: `"${name}";r=0;t=${afterSeconds}`,
      },
    });
  }

  #unavailable(cause: unknown, input: unknown, bus: View): Verdict {
    const { onStoreFailure } = this.#options;
    bus
      .find(FailureLog)
      ?.error(
        { err: cause },
        "%s: the store failed, and the request was %s",
        this.name,
        SAID[onStoreFailure],
      );
    if (onStoreFailure === "refuse")
      return guardFault("RATE_LIMIT_UNAVAILABLE", { headers: { "retry-after": "1" }, cause });
    bus.set(RateLimitHeaders, {
      limit: this.#maxRequests,
      remaining: undefined,
      resetSeconds: undefined,
    });
    return pass(input);
  }
}

const SAID = { refuse: "refused", admit: "let in uncounted" } as const;

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Maximum length of an identity used as key unchanged: the client must not determine the memory it takes. */
const MAX_KEY_LENGTH = 128;

/** The digest of a longer identity is one character longer, so that it equals no other identity. */
const bounded = (client: string): string =>
  client.length <= MAX_KEY_LENGTH ? client : `#${createHash("sha512").update(client).digest("hex")}`;

/** Number of guards without a name, by store. */
const unnamed = new WeakMap<RateLimitStore, number>();

/** Replaces a name: the same in each process that makes its guards in the same order. */
function nameIn(store: RateLimitStore): string {
  const count = (unnamed.get(store) ?? 0) + 1;
  unnamed.set(store, count);
  return `#${count}`;
}

function isVerdict(answer: unknown): answer is RateLimitVerdict {
  if (typeof answer !== "object" || answer === null) return false;
  const { allowed, remaining, retryAfterMs, resetMs } = answer as Partial<RateLimitVerdict>;
  return typeof allowed === "boolean" && isCount(remaining) && isCount(retryAfterMs) && isCount(resetMs);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** Quotes a text: "60" is no number. */
const shown = (given: unknown): string => (typeof given === "string" ? JSON.stringify(given) : String(given));

/** The options with defaults. The store in memory checks its own. Throws CONFIG_INVALID, which names `call`. */
function checkedOptions(call: string, maxRequests: number, windowMs: number, options: RateLimitOptions) {
  requireKnownOptions(call, options, OPTIONS);
  const { cost = 1, chunk = 1, store, storeTimeoutMs = 500, ...others } = options;
  const { onStoreFailure = "refuse", name, now = monotonicMs, ...memory } = others;
  const must = (holds: boolean, remedy: string): void => {
    if (!holds) throw invalidOption(call, remedy);
  };
  must(isUpTo(LARGEST, maxRequests), "maxRequests must be a positive integer of at most 15 digits");
  must(isUpTo(LARGEST, windowMs), "windowMs must be a positive whole number of milliseconds");
  must(
    exactRate({ capacity: maxRequests, windowMs }) !== undefined,
    "so many requests in this time cannot be counted exactly: use numbers that are rounder or smaller, as 5000 and 60000",
  );
  must(isUpTo(maxRequests, cost), `cost must be a whole number from 1 to maxRequests, ${maxRequests}`);
  must(isUpTo(maxRequests, chunk), `chunk must be a whole number from 1 to maxRequests, ${maxRequests}`);
  must(typeof now === "function", "now must be a function that answers milliseconds");
  must(store === undefined || typeof store?.take === "function", "store must have a function 'take'");
  must(
    store === undefined || (memory.maxClients === undefined && memory.onFull === undefined),
    "maxClients and onFull are about the guard's own memory: give them to the store",
  );
  must(
    isUpTo(MAX_TIMER_MS, storeTimeoutMs),
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
  return { cost, chunk, store, storeTimeoutMs, onStoreFailure, now, name, memory };
}

const isUpTo = (greatest: number, value: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= greatest;
