// The tracing of one configuration: spans of requests, steps and outgoing calls, and their export.
// Created only if an endpoint is set.

import type { Context, SpanKind as Kind, Span, SpanContext, Tracer } from "@opentelemetry/api";

import type { FrameworkConfig } from "#config/config.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { TraceContext } from "#core/facts/ingress-facts.js";
import { exportUrl, type Target } from "./endpoint.js";
import { InnerSpanProcessor, OWN_TRACER } from "./inner-places.js";
import { type TracingPackages, tracingPackages } from "./packages.js";
import { publish } from "./published-provider.js";
import { Sampling } from "./sampling.js";
import { frameworkVersion, serviceAttributes } from "./service.js";
import { SpanQueue, type SpanQueueOptions } from "./span-queue.js";
import { traceIds } from "./trace-ids.js";

/** Options for tests. */
export type TracingOptions = Partial<
  Pick<SpanQueueOptions, "maxSpans" | "batchSpans" | "delayMs" | "exportTimeoutMs" | "clock">
>;

/** The caller's span, from its `traceparent`. */
export type RemoteParent = Pick<TraceContext, "traceId" | "spanId" | "traceState">;

export interface SpanStart {
  readonly name: string;
  readonly kind: keyof typeof Kind;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Milliseconds since 1970, with fractions. Default: now. */
  readonly startedAt?: number;
  /** A related span that has ended or belongs to another trace. */
  readonly link?: TraceLink | undefined;
}

/** A span of a sampled trace. */
export type TraceLink = Pick<TraceContext, "traceId" | "spanId">;

export class Tracing {
  /** Resolves when OpenTelemetry's global API returns this tracer provider. */
  readonly published: Promise<void>;
  readonly #api: TracingPackages["api"];
  readonly #queue: SpanQueue;
  readonly #sampling: Sampling;
  readonly #tracer: Tracer;

  /** Does not connect before the first span. Throws TELEMETRY_UNAVAILABLE and CONFIG_INVALID. */
  constructor(config: FrameworkConfig, target: Target, reporter: Reporter, options: TracingOptions = {}) {
    const { otlpProtocol, otlpHeaders, sampleRatio, exportTimeoutMs } = config.telemetry;
    const { maxQueueSize, maxExportBatchSize, scheduleDelayMs } = config.telemetry;
    const url = exportUrl(target, otlpProtocol);
    const { api, sdk, resources, makeExporter } = tracingPackages(otlpProtocol);
    const exported = { url, timeoutMillis: exportTimeoutMs, headers: otlpHeaders.reveal() };
    this.#api = api;
    const suppressed = api.ROOT_CONTEXT.setValue(SUPPRESSED(api), true);
    this.#queue = new SpanQueue({
      makeExporter: () => makeExporter(exported),
      maxSpans: maxQueueSize,
      batchSpans: maxExportBatchSize,
      delayMs: scheduleDelayMs,
      exportTimeoutMs: exportTimeoutMs + GRACE_MS,
      untraced: (run) => api.context.with(suppressed, run),
      reporter,
      ...options,
    });
    this.#sampling = new Sampling(sampleRatio, traceIds, api);
    const own = resources.resourceFromAttributes(serviceAttributes(config));
    const provider = new sdk.TracerProvider({
      resource: resources.defaultResource().merge(own),
      sampler: this.#sampling,
      idGenerator: this.#sampling,
      spanProcessors: [this.#queue, new InnerSpanProcessor()],
    });
    this.#tracer = provider.getTracer(OWN_TRACER, frameworkVersion());
    this.published = publish(api, provider).done;
    flushAtExit(this);
  }

  /** Number of spans dropped since the process began. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** The id of a new trace if it is sampled; undefined otherwise. */
  begins(): string | undefined {
    return this.#sampling.begins();
  }

  /** The id of a new trace that is sampled whatever the ratio. */
  newTraceId(): string {
    return this.#sampling.generateTraceId();
  }

  /** Starts a span of a new trace, or of the caller's trace. */
  root(start: SpanStart, traceId: string, caller: RemoteParent | undefined): Span {
    const { ROOT_CONTEXT, trace, TraceFlags, createTraceState } = this.#api;
    if (caller === undefined) return this.#sampling.keep(traceId, () => this.#begin(start, ROOT_CONTEXT));
    const { spanId, traceState } = caller;
    const parent: SpanContext = {
      traceId,
      spanId,
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
      ...(traceState !== "" && { traceState: createTraceState(traceState) }),
    };
    return this.#begin(start, trace.setSpanContext(ROOT_CONTEXT, parent));
  }

  /** Starts a child span, with the given id. */
  child(start: SpanStart, parent: Context, spanId?: string): Span {
    if (spanId === undefined) return this.#begin(start, parent);
    return this.#sampling.withId(spanId, () => this.#begin(start, parent));
  }

  /** The id of a span to be made later. */
  newSpanId(): string {
    return this.#sampling.generateSpanId();
  }

  /** The context for the children of a span to be made later, in the trace of `span`. */
  at(span: Span, spanId: string): Context {
    return this.#api.trace.setSpanContext(this.#api.ROOT_CONTEXT, { ...span.spanContext(), spanId });
  }

  /** The context for the children of a span. */
  within(span: Span): Context {
    return this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, span);
  }

  /** Runs with the context active, if the program has registered a context manager. */
  run<T>(context: Context, run: () => T): T {
    return this.#api.context.with(context, run);
  }

  /**
   * Runs with a span to be made later active, in the trace of `span`. It extends the active
   * context, so that values set by a layer remain.
   */
  runAt<T>(span: Span, spanId: string, run: () => T): T {
    const { context, trace, ROOT_CONTEXT } = this.#api;
    const own = span.spanContext();
    const active = context.active();
    const there = trace.getSpanContext(active);
    // An active context of another request is not extended.
    const base = there === undefined || there.traceId === own.traceId ? active : ROOT_CONTEXT;
    return context.with(trace.setSpanContext(base, { ...own, spanId }), run);
  }

  /** Marks the span as failed. */
  fail(span: Span, message?: string): void {
    const code = this.#api.SpanStatusCode.ERROR;
    span.setStatus(message === undefined ? { code } : { code, message });
  }

  /** Resolves when all ended spans are exported or dropped. */
  flush(): Promise<void> {
    return this.#queue.forceFlush();
  }

  /** Exports queued spans until `promise` settles, and closes the connection. A later span opens it again. */
  rest(until: Promise<unknown>): Promise<void> {
    return this.#queue.rest(until);
  }

  #begin({ name, kind, attributes, startedAt, link }: SpanStart, context: Context): Span {
    return this.#tracer.startSpan(
      name,
      {
        kind: this.#api.SpanKind[kind],
        attributes,
        ...(startedAt !== undefined && { startTime: startedAt }),
        ...(link !== undefined && {
          links: [{ context: { ...link, traceFlags: this.#api.TraceFlags.SAMPLED } }],
        }),
      },
      context,
    );
  }
}

/** The queue's time limit beyond that of the exporter. */
const GRACE_MS = 5000;

const all = new Set<Tracing>();

/** A program without a server ends when it is idle: this exports its last spans. */
function flushAtExit(tracing: Tracing): void {
  if (all.size === 0) process.once("beforeExit", () => void Promise.all([...all].map((one) => one.flush())));
  all.add(tracing);
}

/** Context key by which HTTP instrumentations recognise the exporter's own requests (@opentelemetry/core). */
const SUPPRESSED = (api: TracingPackages["api"]): symbol =>
  api.createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");
