// Asks one outside service over HTTP, as part of a run.
//
//   OC1. What is sent leads below the client's base: redirects are not followed, and a
//        path cannot climb. So the ids of a run reach that service and no other.
//   OC2. Nothing of the request that is being answered is passed on but its ids.
//   OC3. The time limit and the bound hold until the body's last byte.

import type { BusView } from "#core/bus.js";
import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { RequestId, TraceContext } from "#core/ingress-facts.js";
import { traceIds } from "#telemetry/trace-ids.js";
import { formatTraceparent } from "#telemetry/traceparent.js";
import type { CallSpan } from "#telemetry/tracing/call-span.js";
import { RecordedContext } from "#telemetry/tracing/recorded-context.js";
import { parseBase, type Query, targetOf } from "./target.js";
import { TimeLimit } from "./time-limit.js";
import { UpstreamError } from "./upstream-error.js";
import { watchedBody } from "./watched-body.js";

export interface HttpClientOptions {
  /** Milliseconds from the call to the last byte of the answer. Default 10 000. */
  readonly timeoutMs?: number;
  /** Largest answer in bytes, unpacked. Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Sent with each call: the place for this program's own credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the service is told the run's ids. Default true; false for strangers. */
  readonly sendsIds?: boolean;
  /** Time for the limit. Default: the process's own. */
  readonly clock?: Clock;
}

/** As for `fetch`; the signal is the run's, and redirects are answers. */
export interface CallOptions extends Omit<RequestInit, "signal" | "redirect" | "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/json. */
  readonly json?: unknown;
  readonly query?: Query;
  /** Default: the client's. */
  readonly timeoutMs?: number;
}

type OutgoingKey = typeof RequestId | typeof TraceContext;

/** The Bus of a step that declares `HttpClient.keys`, in `mayRead` or in `reads`. */
export type OutgoingBus = BusView<never, never, OutgoingKey> | BusView<OutgoingKey>;

/**
 * A service that steps ask. It hands on the run's request id and its place in the
 * trace, follows the run's abort and gives up in time.
 *
 *     const stock = new HttpClient("https://stock.internal/api", { timeoutMs: 2000 });
 *     const inStock = synapse({
 *       name: "in stock",
 *       mayRead: HttpClient.keys,
 *       call: (sku: string, bus) => stock.json(bus, `items/${encodeURIComponent(sku)}`),
 *       toFault: HttpClient.toFault,
 *     });
 */
export class HttpClient {
  /** What a step declares that hands its Bus to a client. With `mayRead` it runs without an ingress too. */
  static readonly keys = [RequestId, TraceContext] as const;

  /** For a Synapse: an {@link UpstreamError} is its fault, anything else stays thrown. */
  static readonly toFault = (thrown: unknown): UpstreamError | undefined =>
    thrown instanceof UpstreamError ? thrown : undefined;

  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sendsIds: boolean;
  readonly #clock: Clock;

  /** Throws CONFIG_INVALID where the base is no http(s) URL, or holds a user or a query. */
  constructor(base: string | URL, options: HttpClientOptions = {}) {
    this.#base = parseBase(base);
    this.#timeoutMs = requireBetween("timeoutMs", options.timeoutMs ?? 10_000, MAX_TIMER_MS);
    const { maxBodyBytes = 10 * 1024 * 1024 } = options;
    this.#maxBodyBytes = requireBetween("maxBodyBytes", maxBodyBytes, Number.MAX_SAFE_INTEGER);
    this.#headers = options.headers ?? {};
    this.#sendsIds = options.sendsIds ?? true;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * The service's answer, whatever its status. `path` stands below the base and is
   * encoded already. Rejects with UpstreamError, here and while the body is read.
   */
  async fetch(bus: OutgoingBus, path: string, options: CallOptions = {}): Promise<Response> {
    return (await this.#ask(bus, path, options)).response;
  }

  /**
   * The JSON of an answer with a status from 200 to 299. Rejects with UpstreamError for
   * any other answer. It is not checked: put a SchemaValidator behind the step.
   */
  async json(bus: OutgoingBus, path: string, options: CallOptions = {}): Promise<unknown> {
    const headers = { accept: "application/json", ...options.headers };
    const { response, about } = await this.#ask(bus, path, { ...options, headers });
    const { status, ok } = response;
    if (!ok) {
      await response.body?.cancel();
      throw new UpstreamError("UPSTREAM_REFUSED", `${about} answered ${status}`, { status });
    }
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      throw new UpstreamError("UPSTREAM_INVALID", `${about} answered no JSON`);
    }
  }

  /** `about` names the call in messages, without its query, which may hold secrets. */
  async #ask(
    bus: OutgoingBus,
    path: string,
    options: CallOptions,
  ): Promise<{ readonly response: Response; readonly about: string }> {
    const { json, query, timeoutMs = this.#timeoutMs, headers, ...init } = options;
    const sent = new Headers(this.#headers);
    // Not by a spread: names tell case apart there.
    for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
    if (json !== undefined) {
      init.body = JSON.stringify(json);
      if (!sent.has("content-type")) sent.set("content-type", "application/json");
    }
    const url = targetOf(this.#base, path, query);
    // Made outside of what is caught: a malformed header is the program's mistake, not the service's.
    const request = new Request(url, { ...init, headers: sent, redirect: "manual" });
    const about = `${request.method} ${url.origin}${url.pathname}`;
    // Once: when the call fails the run may be over, and its Bus refuse.
    const { signal } = bus;
    const limit = new TimeLimit(signal, requireBetween("timeoutMs", timeoutMs, MAX_TIMER_MS), this.#clock);
    const span = this.#sendsIds ? addIds(request, url, bus as BusView<OutgoingKey>) : undefined;
    const failure = (cause: unknown): unknown => {
      limit.end();
      if (limit.isOver) return new UpstreamError("UPSTREAM_TIMEOUT", `${about}: not done in ${timeoutMs} ms`);
      // The run is over, and its own outcome stands already.
      if (signal.aborted || cause instanceof UpstreamError) return cause;
      return new UpstreamError("UPSTREAM_FAILED", `${about}: ${reasonOf(cause)}`, { cause });
    };
    try {
      const response = await fetch(request, { signal: limit.signal });
      span?.answered(response.status);
      const tooLarge = `${about}: the answer is larger than ${this.#maxBodyBytes} bytes`;
      const watched = watchedBody(response, this.#maxBodyBytes, {
        ended: () => limit.end(),
        failed: failure,
        tooLarge: () => new UpstreamError("UPSTREAM_INVALID", tooLarge),
      });
      return { response: watched, about };
    } catch (error) {
      const failed = failure(error);
      span?.failed(failed instanceof UpstreamError ? failed.code : "RUN_ABORTED");
      throw failed;
    }
  }
}

/** Each call is a part of the trace of its own: it is answered where that is recorded. */
function addIds({ headers, method }: Request, url: URL, bus: BusView<OutgoingKey>): CallSpan | undefined {
  const requestId = bus.find(RequestId);
  if (requestId !== undefined) headers.set("x-request-id", requestId);
  const trace = bus.find(TraceContext);
  if (trace === undefined) return undefined;
  const span = RecordedContext.callOf(trace, method, url);
  headers.set("traceparent", formatTraceparent({ ...trace, spanId: span?.spanId ?? traceIds.span() }));
  if (trace.traceState !== "") headers.set("tracestate", trace.traceState);
  return span;
}

/** What undici hides behind "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  return cause instanceof Error
    ? cause.message || String((cause as NodeJS.ErrnoException).code)
    : String(cause);
}

function requireBetween(name: string, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw new FrameworkError("CONFIG_INVALID", `${name} is ${value}: use a whole number from 1 to ${max}`);
}
