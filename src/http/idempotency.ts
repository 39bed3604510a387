// Requests that come again: of those with one idempotency key the first is run, and the
// others are answered what it was.
//
//   ID1. A key is claimed when the body is whole, and before anything is made of it. Where
//        that fails, nothing is run.
//   ID2. A run that holds its key goes on where its client goes away: that is who comes again.
//   ID3. What was aborted, because its time was up for instance, may still be at work: its key
//        is free when its lease is over, not before.
//   ID4. Kept is the answer's own: what guards add to it, each answer gets anew.

import { createHash } from "node:crypto";

import { systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import {
  type IdempotencyClaim,
  type IdempotencyLease,
  type IdempotencyPolicy,
  IdempotentRequest,
} from "#core/idempotency-store.js";
import { VerifiedIdentity } from "#core/ingress-facts.js";
import { type Fault, fault } from "#core/outcome.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { Reporter } from "#core/reporter.js";
import { pendingOf } from "#runtime/answers.js";
import type { RunState } from "#runtime/run-state.js";
import type { AnswerHead } from "./answer-heads.js";
import { verifiedIdentity } from "./client.js";
import { HeldKey, Replay } from "./keyed-answer.js";
import type { Exchange } from "./native/exchange.js";
import { Refusal } from "./refusal.js";
import { reportIds } from "./report-ids.js";

/** How much longer than its route a run may hold its key, where nobody says. */
const GRACE_MS = 30_000;

const IN_PROGRESS = fault(new Refusal("IDEMPOTENCY_IN_PROGRESS", { headers: { "retry-after": "1" } }));
const MISMATCH = fault(new Refusal("IDEMPOTENCY_MISMATCH"));
const ANSWER_LOST = fault(new Refusal("IDEMPOTENCY_ANSWER_LOST"));
const UNAVAILABLE = fault(new Refusal("IDEMPOTENCY_UNAVAILABLE", { headers: { "retry-after": "1" } }));

/** What it needs to know of the route. */
export interface KeyedRoute {
  /** For messages. */
  readonly description: string;
  readonly pattern: string;
  readonly axon: string;
  readonly timeoutMs: number;
  readonly reporter: Reporter;
}

export class Idempotency {
  readonly #policy: IdempotencyPolicy;
  readonly #route: KeyedRoute;
  readonly #leaseMs: number;
  /** Calls of the store that nobody waits for. */
  #settling = 0;

  /** Throws CONFIG_INVALID where a run may last longer than it holds its key. */
  constructor(policy: IdempotencyPolicy, route: KeyedRoute) {
    const { leaseMs = route.timeoutMs + GRACE_MS } = policy;
    if (leaseMs < route.timeoutMs) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `${route.description} may take ${route.timeoutMs} ms, and its idempotency keys are held for ${leaseMs}: a request that comes again would be run beside it; make leaseMs longer, or leave it out`,
      );
    }
    this.#policy = policy;
    this.#route = route;
    this.#leaseMs = leaseMs;
  }

  /** Answers and keys that are on their way to the store. */
  get settling(): number {
    return this.#settling;
  }

  /**
   * The input of a run, which `read` makes of the body; or why there is none. The body is gone
   * when this returns.
   */
  enter(state: RunState, body: Buffer, read: (body: Buffer) => unknown): unknown {
    const request = state.values[state.slotOf(IdempotentRequest)] as IdempotentRequest | undefined;
    if (request === undefined) return read(body);
    const exchange = state.request as Exchange;
    const fingerprint = fingerprintOf(exchange, body);
    const { store } = this.#policy;
    // The guard may have stood in front of who verified somebody, as withIam does behind all guards.
    const verified = state.values[state.slotOf(VerifiedIdentity)] as string | undefined;
    const client = verified === undefined ? request.client : verifiedIdentity(verified);
    let claim: MaybePromise<IdempotencyClaim>;
    try {
      const key = this.#keyOf({ client, key: request.key }, exchange.method);
      claim = store.claim(key, fingerprint, this.#leaseMs);
    } catch (error) {
      return this.#unavailable(exchange, error);
    }
    const pending = pendingOf(claim) as Promise<IdempotencyClaim> | undefined;
    if (pending === undefined)
      return this.#entered(claim as IdempotencyClaim, fingerprint, exchange, () => read(body));
    const copy = Buffer.from(body);
    return this.#later(pending, fingerprint, exchange, () => read(copy));
  }

  async #later(
    pending: Promise<IdempotencyClaim>,
    fingerprint: string,
    exchange: Exchange,
    read: () => unknown,
  ): Promise<unknown> {
    let claim: IdempotencyClaim;
    try {
      claim = await inTime(pending, this.#policy.storeTimeoutMs);
    } catch (error) {
      // It may have been claimed all the same, and nobody else would free it soon.
      pending.then(
        (late) => this.#giveBack(late, exchange),
        () => {},
      );
      return this.#unavailable(exchange, error);
    }
    if (!exchange.isAbandoned) return this.#entered(claim, fingerprint, exchange, read);
    this.#giveBack(claim, exchange);
    return UNAVAILABLE;
  }

  #entered(claim: IdempotencyClaim, fingerprint: string, exchange: Exchange, read: () => unknown): unknown {
    switch (claim?.kind) {
      case "first": {
        const { lease } = claim;
        exchange.own().keyed = new HeldKey({
          keep: (head, body) => this.#keep(lease, head, body, exchange),
          release: () => this.#release(lease, exchange),
        });
        return read();
      }
      case "running":
        return claim.fingerprint === fingerprint ? IN_PROGRESS : MISMATCH;
      case "kept": {
        if (claim.fingerprint !== fingerprint) return MISMATCH;
        if (claim.answer === undefined) return ANSWER_LOST;
        const replay = new Replay(claim.answer);
        exchange.own().keyed = replay;
        return fault(replay);
      }
      case "full":
        return this.#unavailable(exchange, new Error("The store has no room for another key"));
      default:
        return this.#unavailable(exchange, new TypeError("claim() answered no claim"));
    }
  }

  #keep(
    lease: IdempotencyLease,
    head: AnswerHead,
    body: string | Uint8Array | null | undefined,
    exchange: Exchange,
  ): void {
    const { store, ttlMs, maxBodyBytes } = this.#policy;
    const { status, lines } = head;
    const why = body === undefined ? "in pieces" : tooLarge(body, maxBodyBytes);
    if (why !== undefined) this.#report(exchange, `an answer ${why} is not kept`);
    const answer =
      body === undefined || why !== undefined ? undefined : { status, headers: lines, body: copyOf(body) };
    this.#settle(
      exchange,
      "an answer could not be kept",
      () => store.keep(lease, answer, ttlMs),
      () => this.#report(exchange, "an answer came too late to be kept: another request has its key"),
    );
  }

  #release(lease: IdempotencyLease, exchange: Exchange): void {
    const { store } = this.#policy;
    this.#settle(exchange, "a key could not be freed", () => store.release(lease));
  }

  #giveBack(claim: IdempotencyClaim, exchange: Exchange): void {
    if (claim?.kind === "first") this.#release(claim.lease, exchange);
  }

  /** Nobody waits for it; stopping does, for as long as the store may take. */
  #settle(
    exchange: Exchange,
    failing: string,
    act: () => MaybePromise<boolean>,
    refused: () => void = () => {},
  ): void {
    const failed = (error: unknown): void => this.#report(exchange, failing, error);
    try {
      const answer = act();
      const pending = pendingOf(answer);
      if (pending === undefined) {
        if (answer !== true) refused();
        return;
      }
      this.#settling += 1;
      inTime(pending, this.#policy.storeTimeoutMs)
        .then((kept) => (kept === true ? undefined : refused()), failed)
        .finally(() => {
          this.#settling -= 1;
        });
    } catch (error) {
      failed(error);
    }
  }

  #unavailable(exchange: Exchange, error: unknown): Fault<Refusal> {
    this.#report(exchange, "a request was refused, because its key could not be claimed", error);
    return UNAVAILABLE;
  }

  #report(exchange: Exchange, what: string, error?: unknown): void {
    const { axon, description, reporter } = this.#route;
    const message = `Idempotency of ${description}: ${what}`;
    reporter({ code: "IDEMPOTENCY_FAILED", message, axon, error, ...reportIds(exchange) });
  }

  // Of one length, and nothing of the client in it.
  #keyOf({ client, key }: IdempotentRequest, method: string): string {
    return createHash("sha256")
      .update(JSON.stringify([client, method, this.#route.pattern, key]))
      .digest("base64url");
  }
}

/** What tells the same request from another. A target holds no line end, so no two of them are mistaken. */
const fingerprintOf = ({ path, query }: Exchange, body: Buffer): string =>
  createHash("sha256")
    .update(query === undefined ? `${path}\n` : `${path}?${query}\n`)
    .update(body)
    .digest("base64url");

function tooLarge(body: string | Uint8Array | null, maxBodyBytes: number): string | undefined {
  const length = body === null ? 0 : Buffer.byteLength(body);
  return length > maxBodyBytes ? `of ${length} bytes, above the ${maxBodyBytes} of maxBodyBytes,` : undefined;
}

const encoder = new TextEncoder();

/** What a step has answered is its own, and may change. Of memory of its own: a piece of a pool would keep all of it. */
function copyOf(body: string | Uint8Array | null): Uint8Array | undefined {
  if (body === null) return undefined;
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
}

function inTime<T>(pending: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = systemClock.after(ms, () => reject(new Error(`No answer within ${ms} milliseconds`)));
    pending.then(resolve, reject).finally(cancel);
  });
}
