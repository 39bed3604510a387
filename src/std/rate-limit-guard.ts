import { createHash } from "node:crypto";

import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { ClientIdentity } from "#core/ingress-facts.js";
import { Log } from "#core/log.js";
import { type Fault, type Pass, pass } from "#core/outcome.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { RateLimit, RateLimitStore, RateLimitVerdict } from "#core/rate-limit-store.js";
import { RateLimitHeaders, type ResponseHeaders, writtenHeader } from "#core/response-facts.js";
import { type GuardFault, guardFault } from "./guard-fault.js";
import { inTime } from "./in-time.js";
import { MemoryRateLimits } from "./memory-rate-limits.js";
import { type CheckedOptions, checkedOptions, type RateLimitOptions } from "./rate-limit-options.js";

export type RateLimitFault = GuardFault<"RATE_LIMITED"> | GuardFault<"RATE_LIMIT_UNAVAILABLE">;

type Verdict = Pass | Fault<RateLimitFault>;
type View = BusView<typeof ClientIdentity, typeof RateLimitHeaders, typeof Log>;

/**
 * Bounds how often each client comes, by a token bucket: a burst of `maxRequests`, refilled
 * evenly over `windowMs`. What is beyond is 429 with Retry-After. Answers tell the client
 * what it has left, in the headers of draft-ietf-httpapi-ratelimit-headers-11.
 */
export class RateLimitGuard
  implements Guard<RateLimitFault, typeof ClientIdentity, typeof RateLimitHeaders, typeof Log>
{
  readonly name: string;
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [ClientIdentity] as const;
  readonly writes = [RateLimitHeaders] as const;
  /** Where a store of somebody else's can fail: the ids of a log's lines cost each request. */
  readonly mayRead: readonly (typeof Log)[];
  readonly responseHeaders: ResponseHeaders;
  readonly perProcess?: string;
  readonly #limit: RateLimit;
  /** In requests, not in tokens. */
  readonly #maxRequests: number;
  readonly #policy: { readonly name: string; readonly header: string };
  readonly #store: RateLimitStore;
  readonly #owner: string;
  readonly #options: CheckedOptions;

  /** Throws CONFIG_INVALID. */
  constructor(maxRequests: number, windowMs: number, options: RateLimitOptions = {}) {
    const call = `RateLimitGuard(${shown(maxRequests)}, ${shown(windowMs)})`;
    const checked = checkedOptions(call, maxRequests, windowMs, options);
    const { store, name, cost } = checked;
    const policy = name ?? "default";
    this.name = name ?? "RateLimitGuard";
    this.description = `At most ${maxRequests} requests in ${windowMs} ms by each client`;
    this.#limit = { capacity: maxRequests, windowMs, cost };
    this.#maxRequests = Math.floor(maxRequests / cost);
    this.#store = store ?? new MemoryRateLimits(checked.memory, call);
    this.mayRead = store === undefined ? [] : [Log];
    this.#owner = store === undefined ? "" : `${name ?? nameIn(store)}:${maxRequests}/${windowMs}:`;
    this.#options = checked;
    if (this.#store.perProcess !== undefined) this.perProcess = this.#store.perProcess;
    // Seconds are whole there, and a longer window promises no more than is given.
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

  readonly run = (input: unknown, bus: View): MaybePromise<Verdict> => {
    const key = this.#owner + bounded(bus.get(ClientIdentity));
    const now = this.#options.now();
    let answer: unknown;
    try {
      answer = this.#store.take(key, this.#limit, now);
      if (isPending(answer)) answer = inTime(answer, this.#options.storeTimeoutMs);
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

  // Both headers again: whichever guard has refused, they are about its own policy. The two
  // times are one, because no client should come again before the window that it is told of.
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
    const log = this.mayRead.length === 0 ? undefined : bus.find(Log);
    log?.error(
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

/** The longest identity that is a key as it is: what a client sends must not decide what it costs to remember it. */
const MAX_KEY_LENGTH = 128;

/** A longer one's digest has a character more than that, so that no other identity can be equal to it. */
const bounded = (client: string): string =>
  client.length <= MAX_KEY_LENGTH ? client : `#${createHash("sha512").update(client).digest("hex")}`;

/** How many guards without a name each store has. */
const unnamed = new WeakMap<RateLimitStore, number>();

/** What stands for a name: the same in each process that makes its guards in the same order. */
function nameIn(store: RateLimitStore): string {
  const count = (unnamed.get(store) ?? 0) + 1;
  unnamed.set(store, count);
  return `#${count}`;
}

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";

function isVerdict(answer: unknown): answer is RateLimitVerdict {
  if (typeof answer !== "object" || answer === null) return false;
  const { allowed, remaining, retryAfterMs, resetMs } = answer as Partial<RateLimitVerdict>;
  return typeof allowed === "boolean" && isCount(remaining) && isCount(retryAfterMs) && isCount(resetMs);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** A text in quotes: "60" is no number. */
const shown = (given: unknown): string => (typeof given === "string" ? JSON.stringify(given) : String(given));
