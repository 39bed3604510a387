// Runs the first request of an idempotency key; the others get its response. The key is claimed when
// the body is complete, before the input is built; without a claim nothing runs. A run with a key
// continues after a disconnect, because the client will retry. The key of an aborted run, which may
// still have effects, is free at the end of its lease. Headers of guards are not stored.

import { createHash } from "node:crypto";
import { type Fault, fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import { FrameworkError } from "#core/errors.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import {
  type IdempotencyClaim,
  type IdempotencyLease,
  type IdempotencyPolicy,
  IdempotentRequest,
} from "#core/ports/idempotency-store.js";
import { isReservedRunId, RunId } from "#core/ports/run-store.js";
import { asStoreCall, INNER, type InnerStart } from "#core/timeline/inner-span.js";
import type { ServedRuns } from "#runtime/hosting/served-runs.js";
import { pendingOf } from "#runtime/run/answers.js";
import { axonId, ingressId } from "#runtime/run/node-id.js";
import type { RunState } from "#runtime/run/run-state.js";
import { hashedSubject } from "#runtime/run/subject.js";
import { RUN_ID_INVALID } from "#runtime/steps/checkpoint-step.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import { verifiedIdentity } from "../client/client.js";
import { type AnswerHead, withoutCookies } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import { Refusal, refusedBy } from "../refusal/refusal.js";
import { inTime } from "../refusal/timeout.js";
import { type Attachment, newestRun } from "./attached-run.js";
import { type Answering, AttachedRun, HeldKey, type KeyHolder, Replay } from "./keyed-answer.js";

/** The default lease is this much longer than the route's time-out. */
const GRACE_MS = 30_000;

const IN_PROGRESS = refusedBy(new Refusal("IDEMPOTENCY_IN_PROGRESS", { headers: { "retry-after": "1" } }));
const MISMATCH = refusedBy(new Refusal("IDEMPOTENCY_MISMATCH"));
const CALLER_UNKNOWN = refusedBy(
  new Refusal("IDEMPOTENCY_CALLER_UNKNOWN", { detail: "Send Authorization with an Idempotency-Key" }),
);
const ANSWER_LOST = refusedBy(new Refusal("IDEMPOTENCY_ANSWER_LOST"));
const UNAVAILABLE = fault(new Refusal("IDEMPOTENCY_UNAVAILABLE", { headers: { "retry-after": "1" } }));

export interface KeyedRoute {
  /** For messages. */
  readonly description: string;
  readonly pattern: string;
  readonly axon: string;
  readonly timeoutMs: number;
  readonly reporter: Reporter;
  /** Undefined if the Axon keeps no runs. */
  readonly keptRuns: ServedRuns | undefined;
  readonly detached: boolean;
  /** Of kept runs in the database of the keys: the log refuses a second run, so a key may be free with its host. */
  readonly host: string | undefined;
}

interface Entering extends Answering {
  readonly state: RunState;
  readonly attachment: Attachment | undefined;
}

export class Idempotency {
  readonly #policy: IdempotencyPolicy;
  readonly #route: KeyedRoute;
  readonly #leaseMs: number;
  /** Number of pending store calls that no request awaits. */
  settling = 0;

  /** Throws CONFIG_INVALID for a lease shorter than the route's time-out. */
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

  /** Claims the key. Returns the input that `read` makes of the body, or a fault. `body` is detached when this returns. */
  enter(state: RunState, body: Buffer, answers: RouteAnswers, read: (body: Buffer) => unknown): unknown {
    const request = state.values[state.slotOf(IdempotentRequest)] as IdempotentRequest | undefined;
    if (request === undefined) return read(body);
    const exchange = state.request as Exchange;
    const fingerprint = fingerprintOf(exchange, body);
    const { store } = this.#policy;
    // The guard may precede the step that verifies the client, such as `withIam`.
    const verified =
      this.#policy.scope === "own"
        ? undefined
        : (state.values[state.slotOf(VerifiedIdentity)] as string | undefined);
    const client = verified === undefined ? request.client : verifiedIdentity(verified);
    // hole: unknown callers would share one scope and get each other's responses.
    if (client === undefined) return CALLER_UNKNOWN;
    const key = this.#keyOf({ client, key: request.key }, exchange.method);
    const attachment = this.#attachmentOf(state, key);
    // The id of another client's key would join its run.
    if (attachment === "invalid") return RUN_ID_INVALID;
    let claim: MaybePromise<IdempotencyClaim>;
    try {
      claim = store.claim(
        key,
        fingerprint,
        this.#leaseMs,
        verified === undefined ? undefined : hashedSubject(verified),
        this.#route.host,
      );
    } catch (error) {
      return this.#unavailable(exchange, error);
    }
    const pending = pendingOf(claim) as Promise<IdempotencyClaim> | undefined;
    const { trace } = state.duties;
    if (pending !== undefined && trace !== null) {
      const node = ingressId(axonId(this.#route.axon));
      const input = { [INNER]: (start: InnerStart) => trace.beginInner(node, start) };
      void asStoreCall(input, "IdempotencyStore.claim", pending);
    }
    const entering = { exchange, answers, state, attachment };
    if (pending === undefined && attachment === undefined)
      return this.#entered(claim as IdempotencyClaim, fingerprint, entering, () => read(body));
    const copy = Buffer.from(body);
    const claimed = pending ?? Promise.resolve(claim as IdempotencyClaim);
    return this.#later(claimed, fingerprint, entering, () => read(copy));
  }

  /** The kept run of this key; undefined if runs are not kept. A retry after a crash finds it by the same id. */
  #attachmentOf(state: RunState, key: string): Attachment | "invalid" | undefined {
    const { keptRuns: runs, timeoutMs, detached } = this.#route;
    if (runs === undefined) return undefined;
    const slot = state.slotOf(RunId);
    const given: unknown = state.values[slot] ?? state.make(RunId);
    if (typeof given === "string" && isReservedRunId(given)) return "invalid";
    const runId = typeof given === "string" ? given : `key-${key}`;
    return { runs, runId, timeoutMs, detached };
  }

  async #later(
    pending: Promise<IdempotencyClaim>,
    fingerprint: string,
    entering: Entering,
    read: () => unknown,
  ): Promise<unknown> {
    const { exchange } = entering;
    let claim: IdempotencyClaim;
    try {
      claim = await this.#inTime(pending);
    } catch (error) {
      // The store may still claim the key: it is released then.
      pending.then(
        (late) => this.#giveBack(late, exchange),
        () => {},
      );
      return this.#unavailable(exchange, error);
    }
    if (exchange.isAbandoned) {
      this.#giveBack(claim, exchange);
      return UNAVAILABLE;
    }
    let { attachment } = entering;
    const isAnswered = claim?.kind === "kept" && claim.answer !== undefined;
    try {
      if (attachment !== undefined && !isAnswered) {
        const newest = await this.#inTime(newestRun(attachment, entering.answers));
        attachment = newest.attachment;
        // The row of the key may be gone: the run is kept for longer.
        if (newest.fingerprint !== undefined && newest.fingerprint !== fingerprint) {
          this.#giveBack(claim, exchange);
          return MISMATCH;
        }
        // A request with another body may hold the key while it reads the log.
        if (newest.fingerprint !== undefined && claim?.kind === "running") claim = { ...claim, fingerprint };
      }
    } catch (error) {
      this.#giveBack(claim, exchange);
      return this.#unavailable(exchange, error);
    }
    return this.#entered(claim, fingerprint, { ...entering, attachment }, read);
  }

  #entered(claim: IdempotencyClaim, fingerprint: string, entering: Entering, read: () => unknown): unknown {
    const { exchange, state, attachment } = entering;
    switch (claim?.kind) {
      case "first": {
        const { lease } = claim;
        if (attachment !== undefined) {
          state.due().runId = attachment.runId;
          state.due().fingerprint = fingerprint;
        }
        const keep: KeyHolder["keep"] = (head, body) => this.#keep(lease, head, body, exchange);
        const release = (): void => this.#release(lease, exchange);
        exchange.own().keyed = new HeldKey({ keep, release, attachment }, entering);
        return read();
      }
      case "running": {
        if (claim.fingerprint !== fingerprint) return MISMATCH;
        return attachment === undefined ? IN_PROGRESS : attachedTo(attachment, entering);
      }
      case "kept": {
        // hole: another request would get a stored response
        if (claim.fingerprint !== fingerprint) return MISMATCH;
        // Too large for the row, but not for the log.
        if (claim.answer === undefined)
          return attachment === undefined ? ANSWER_LOST : attachedTo(attachment, entering);
        const replay = new Replay(claim.answer, entering);
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
      body === undefined || why !== undefined
        ? undefined
        : { status, headers: withoutCookies(lines), body: copyOf(body) };
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

  /** Only a stopping server awaits this call. */
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
      this.settling += 1;
      this.#inTime(pending)
        .then((kept) => (kept === true ? undefined : refused()), failed)
        .finally(() => {
          this.settling -= 1;
        });
    } catch (error) {
      failed(error);
    }
  }

  #inTime<T>(pending: Promise<T>): Promise<T> {
    const { storeTimeoutMs: ms } = this.#policy;
    return inTime(pending, ms, `No answer within ${ms} milliseconds`);
  }

  #unavailable(exchange: Exchange, error: unknown): Fault<Refusal> {
    this.#report(exchange, "a request was refused, because its key could not be claimed", error);
    return UNAVAILABLE;
  }

  #report(exchange: Exchange, what: string, error?: unknown): void {
    const { axon, description, reporter } = this.#route;
    const message = `Idempotency of ${description}: ${what}`;
    reporter({ code: "IDEMPOTENCY_FAILED", message, axon, error, ...exchange.reportIds });
  }

  // A digest: constant length, and no data of the client in the store.
  #keyOf({ client, key }: IdempotentRequest, method: string): string {
    return createHash("sha256")
      .update(JSON.stringify([client, method, this.#route.pattern, key]))
      .digest("base64url");
  }
}

function attachedTo(attachment: Attachment, entering: Entering): Fault<AttachedRun> {
  const attached = new AttachedRun(attachment, entering);
  entering.exchange.own().keyed = attached;
  return fault(attached);
}

/** Different requests give different digests, because a target holds no line feed. */
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

/** A copy, because the step may change its bytes. Not from the pool of Buffer, which would be retained. */
function copyOf(body: string | Uint8Array | null): Uint8Array | undefined {
  if (body === null) return undefined;
  return typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
}
