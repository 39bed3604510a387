// A client of one service, for steps. Calls stay below its base: redirects are not followed, and paths
// cannot climb. So only that service gets the run's ids; no other data of the request is sent. The
// limits apply until the last byte of the body.

import type { BusView } from "#core/bus/bus.js";
import { type Clock, MAX_TIMER_MS, systemClock } from "#core/clock.js";
import { RequestId, TraceContext } from "#core/facts/ingress-facts.js";
import { beginInner } from "#core/timeline/inner-span.js";
import type { CallSpan } from "#telemetry/tracing/call-span.js";
import { RecordedContext } from "#telemetry/tracing/recorded-context.js";
import { traceIds } from "#telemetry/tracing/trace-ids.js";
import { formatTraceparent } from "#telemetry/tracing/traceparent.js";
import { isTooDeep, MAX_DEPTH } from "../input/json-body.js";
import { requireInteger } from "../refusal/option-checks.js";
import { dropUnsendable, headersOfDecoded } from "./forwardable-headers.js";
import { parseBase, type Query, targetOf } from "./target.js";
import { UpstreamError } from "./upstream-error.js";

export interface HttpClientOptions {
  /** Milliseconds from the call to the last byte of the response. Default 10 000. */
  readonly timeoutMs?: number;
  /** Largest response in bytes, decoded. Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Headers of each call, such as the program's credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the run's ids. Default true; use false for third parties. */
  readonly sendsIds?: boolean;
  /** Default: the process clock. */
  readonly clock?: Clock;
}

/** Options of `fetch`. The signal is the run's, and redirects are returned as responses. */
export interface CallOptions extends Omit<RequestInit, "signal" | "redirect" | "headers"> {
  /** Headers of a connection and of a body's framing, such as content-length, te and expect, are not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as application/json. */
  readonly json?: unknown;
  readonly query?: Query;
  /** Default: the client's. */
  readonly timeoutMs?: number;
}

type OutgoingKey = typeof RequestId | typeof TraceContext;

/** The Bus of a step that declares `HttpClient.keys`, in `mayRead` or in `reads`. */
export type OutgoingBus = BusView<never, never, OutgoingKey> | BusView<OutgoingKey>;

/**
 * A service that steps call. Sends the run's request id and trace, follows the run's abort, and
 * has a time-out.
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
  /** Keys that a step must declare to call a client. In `mayRead` the step also runs without an ingress. */
  static readonly keys = [RequestId, TraceContext] as const;

  /** For a Synapse: an {@link UpstreamError} is returned as its fault, other errors stay thrown. */
  static readonly toFault = (thrown: unknown): UpstreamError | undefined =>
    thrown instanceof UpstreamError ? thrown : undefined;

  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sendsIds: boolean;
  readonly #clock: Clock;

  /** Throws CONFIG_INVALID if the base is not an http(s) URL, or has a user or a query. */
  constructor(base: string | URL, options: HttpClientOptions = {}) {
    this.#base = parseBase(base);
    this.#timeoutMs = requireInteger("timeoutMs", options.timeoutMs ?? 10_000, 1, MAX_TIMER_MS);
    const { maxBodyBytes = 10 * 1024 * 1024 } = options;
    this.#maxBodyBytes = requireInteger("maxBodyBytes", maxBodyBytes, 1, Number.MAX_SAFE_INTEGER);
    this.#headers = options.headers ?? {};
    this.#sendsIds = options.sendsIds ?? true;
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves to the response, of any status; the body is decoded, and its headers do not name the coding. `path` is below the base and percent-encoded. Rejects with UpstreamError, also while the body is read. */
  async fetch(bus: OutgoingBus, path: string, options: CallOptions = {}): Promise<Response> {
    return (await this.#ask(bus, path, options)).response;
  }

  /** Resolves to the JSON of a response with status 200 to 299, at most 64 levels deep, not validated: add a SchemaValidator after the step. Rejects with UpstreamError. */
  async json(bus: OutgoingBus, path: string, options: CallOptions = {}): Promise<unknown> {
    const headers = { accept: "application/json", ...options.headers };
    const { response, about } = await this.#ask(bus, path, { ...options, headers });
    const { status, ok } = response;
    if (!ok) {
      await response.body?.cancel();
      throw new UpstreamError("UPSTREAM_REFUSED", `${about} answered ${status}`, { status });
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    // hole: a service could hold the event loop
    if (isTooDeep(bytes))
      throw new UpstreamError(
        "UPSTREAM_INVALID",
        `${about} answered JSON that is nested deeper than ${MAX_DEPTH}`,
      );
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
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
    // A spread would not merge names of different case.
    for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
    dropUnsendable(sent);
    if (json !== undefined) {
      init.body = JSON.stringify(json);
      if (!sent.has("content-type")) sent.set("content-type", "application/json");
    }
    const url = targetOf(this.#base, path, query);
    // Outside of `try`: a malformed header is an error of the program.
    const request = new Request(url, { ...init, headers: sent, redirect: "manual" });
    const about = `${request.method} ${url.origin}${url.pathname}`;
    // Read now, because the Bus throws after the run.
    const { signal } = bus;
    const timeout = new AbortController();
    const ms = requireInteger("timeoutMs", timeoutMs, 1, MAX_TIMER_MS);
    const ended = this.#clock.after(ms, () => timeout.abort());
    const span = this.#sendsIds ? addIds(request, url, bus as BusView<OutgoingKey>) : undefined;
    // The base is the program's; the path may have values of the run.
    const call = beginInner(bus, {
      kind: "http",
      name: `${request.method} ${this.#base.host}${this.#base.pathname}`,
      attributes: { "url.full": `${url.origin}${url.pathname}` },
    });
    const failure = (cause: unknown): unknown => {
      ended();
      if (timeout.signal.aborted)
        return new UpstreamError("UPSTREAM_TIMEOUT", `${about}: not done in ${ms} ms`);
      // The run is over.
      if (signal.aborted || cause instanceof UpstreamError) return cause;
      return new UpstreamError("UPSTREAM_FAILED", `${about}: ${reasonOf(cause)}`, { cause });
    };
    try {
      const response = await fetch(request, { signal: AbortSignal.any([signal, timeout.signal]) });
      span?.answered(response.status);
      call?.end({
        failed: response.status >= 400 ? String(response.status) : undefined,
        attributes: { "http.response.status_code": response.status },
      });
      const tooLarge = `${about}: the answer is larger than ${this.#maxBodyBytes} bytes`;
      const watched = watchedBody(response, this.#maxBodyBytes, {
        ended,
        failed: failure,
        tooLarge: () => new UpstreamError("UPSTREAM_INVALID", tooLarge),
      });
      return { response: watched, about };
    } catch (error) {
      const failed = failure(error);
      const code = failed instanceof UpstreamError ? failed.code : "RUN_ABORTED";
      span?.failed(code);
      call?.end({ failed: code });
      throw failed;
    }
  }
}

/** Adds the run's ids. Each call has a separate span if the trace is recorded. */
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

/** undici's reason for "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  return cause instanceof Error
    ? cause.message || String((cause as NodeJS.ErrnoException).code)
    : String(cause);
}

interface BodyWatcher {
  /** Called when reading of the body has ended. */
  readonly ended: () => void;
  /** The error that reading rejects with. */
  readonly failed: (cause: unknown) => unknown;
  readonly tooLarge: () => Error;
}

/** The response with a limited body, read on demand. */
function watchedBody(response: Response, maxBytes: number, watcher: BodyWatcher): Response {
  const { status, statusText } = response;
  const init = { status, statusText, headers: headersOfDecoded(response) };
  if (response.body === null) {
    watcher.ended();
    return new Response(null, init);
  }
  const reader = response.body.getReader();
  let bytes = 0;
  const next = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read();
    if (done) {
      watcher.ended();
      controller.close();
      return;
    }
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw watcher.tooLarge();
    }
    controller.enqueue(value);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => next(controller).catch((error) => controller.error(watcher.failed(error))),
      cancel(reason) {
        watcher.ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, init);
}
