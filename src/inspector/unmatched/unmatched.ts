// The newest requests that matched no route and got no successful response. A site scan makes
// thousands of them; the exact number is in the metrics.

import { type Clock, systemClock } from "#core/clock.js";
import type { CountedAnswer } from "#core/ports/answer-observer.js";
import { visible } from "#core/wire/visible-text.js";
import { redactedPath } from "#schema/redaction/redacted-path.js";
import type { UnmatchedOnes, UnmatchedQuery, UnmatchedRequest } from "../api/unmatched.js";
import { Allowance } from "../traces/allowance.js";

export const MAX_UNMATCHED = 500;
export const DEFAULT_LIMIT = 100;
const PER_SECOND = 50;
const MAX_PATH = 256;
const MAX_METHOD = 32;

type Nearest = (method: string, path: string) => string | null;

export class Unmatched {
  /** The newest last. */
  readonly #requests: (Omit<UnmatchedRequest, "nearest"> & { nearest?: string | null })[] = [];
  readonly #allowance = new Allowance(PER_SECOND, PER_SECOND);
  readonly #clock: Pick<Clock, "now">;
  readonly #nearest: Nearest;
  notKept = 0;

  constructor(clock: Pick<Clock, "now"> = systemClock, nearest: Nearest = () => null) {
    this.#clock = clock;
    this.#nearest = nearest;
  }

  get size(): number {
    return this.#requests.length;
  }

  /** Ignores responses below 400 of a fallback, such as pages and redirects. */
  readonly answered = (answer: CountedAnswer): void => {
    if (answer.route !== undefined) return;
    const { method, path, status, isAborted, code = null, requestId = null } = answer;
    if (status < 400 && !isAborted && method !== "OPTIONS") return;
    if (!this.#allowance.take(this.#clock.now())) {
      this.notKept += 1;
      return;
    }
    this.#requests.push({
      at: Date.now(),
      method: visible(method.slice(0, MAX_METHOD)),
      path: visible(redactedPath(path, undefined).slice(0, MAX_PATH)),
      status: status || null,
      code,
      request_id: requestId,
    });
    if (this.#requests.length <= MAX_UNMATCHED) return;
    this.#requests.shift();
    this.notKept += 1;
  };

  /** Drops all requests. Returns how many. */
  clear(): number {
    return this.#requests.splice(0).length;
  }

  /** The newest first. */
  list({ status, limit = DEFAULT_LIMIT }: UnmatchedQuery): UnmatchedOnes {
    const fitting = this.#requests.filter((one) => one.status === (status ?? one.status));
    const requests = fitting
      .slice(-limit)
      .reverse()
      .map((one) => {
        // Sought when it is first listed: a site scan is rarely looked at.
        one.nearest ??= this.#nearest(one.method, one.path);
        return { ...one, nearest: one.nearest };
      });
    return { requests, not_kept: this.notKept };
  }
}
