// The traces of one configuration: what requests, their steps and their calls of others
// leave, on its way to a collector. Made where an endpoint is set.

import type {
  Context,
  SpanKind as Kind,
  Span,
  SpanContext,
  Tracer,
  TracerProvider,
} from "@opentelemetry/api";

import type { FrameworkConfig } from "#config/config.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { TraceContext } from "#core/facts/ingress-facts.js";
import { exportUrl, type Target } from "./endpoint.js";
import { type TracingPackages, tracingPackages } from "./packages.js";
import { Sampling } from "./sampling.js";
import { frameworkVersion, serviceAttributes } from "./service.js";
import { SpanQueue, type SpanQueueOptions } from "./span-queue.js";
import { traceIds } from "./trace-ids.js";

/** What tests set. */
export type TracingOptions = Partial<
  Pick<SpanQueueOptions, "maxSpans" | "batchSpans" | "delayMs" | "exportTimeoutMs" | "clock">
>;

/** The part of a caller's `traceparent` that a span continues. */
export type RemoteParent = Pick<TraceContext, "traceId" | "spanId" | "traceState">;

export interface SpanStart {
  readonly name: string;
  readonly kind: keyof typeof Kind;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Milliseconds since 1970, with fractions. Default: now. */
  readonly startedAt?: number;
  /** What it comes from, where that is over, or of another trace. */
  readonly link?: TraceLink | undefined;
}

/** A span of some trace that is kept. */
export type TraceLink = Pick<TraceContext, "traceId" | "spanId">;

export class Tracing {
  /** Resolves when whoever has asked OpenTelemetry's interface for a tracer has this one. */
  readonly published: Promise<void>;
  readonly #api: TracingPackages["api"];
  readonly #queue: SpanQueue;
  readonly #sampling: Sampling;
  readonly #tracer: Tracer;

  /** Throws TELEMETRY_UNAVAILABLE and CONFIG_INVALID. Connects to nothing before the first span. */
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
      spanProcessors: [this.#queue],
    });
    this.#tracer = provider.getTracer("framework", frameworkVersion());
    this.published = publish(api, provider);
    flushAtExit(this);
  }

  /** Spans that were lost since the process began. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** The id of a trace that begins here, where it is to be kept. */
  begins(): string | undefined {
    return this.#sampling.begins();
  }

  /** The id of a trace that is kept whatever the ratio says. */
  newTraceId(): string {
    return this.#sampling.generateTraceId();
  }

  /** A span that begins a trace, or continues a caller's, which is kept. */
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

  /** A span within another one's, with the id given. */
  child(start: SpanStart, parent: Context, spanId?: string): Span {
    if (spanId === undefined) return this.#begin(start, parent);
    return this.#sampling.withId(spanId, () => this.#begin(start, parent));
  }

  /** An id for a span that is made later. */
  newSpanId(): string {
    return this.#sampling.generateSpanId();
  }

  /** What the children of a span that is made later begin in: one beside, or within, the one given. */
  at(span: Span, spanId: string): Context {
    return this.#api.trace.setSpanContext(this.#api.ROOT_CONTEXT, { ...span.spanContext(), spanId });
  }

  /** What a span's children begin in. */
  within(span: Span): Context {
    return this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, span);
  }

  /** Runs with the context active, where the program has given OpenTelemetry something that keeps contexts. */
  run<T>(context: Context, run: () => T): T {
    return this.#api.context.with(context, run);
  }

  /**
   * The same with a span that is made later, beside or within the one given: on what is active
   * there, so that what a layer has put into the context stays.
   */
  runAt<T>(span: Span, spanId: string, run: () => T): T {
    const { context, trace, ROOT_CONTEXT } = this.#api;
    const own = span.spanContext();
    const active = context.active();
    const there = trace.getSpanContext(active);
    // Where something of another request calls it, what that has is nobody's business here.
    const base = there === undefined || there.traceId === own.traceId ? active : ROOT_CONTEXT;
    return context.with(trace.setSpanContext(base, { ...own, spanId }), run);
  }

  /** Marks it as failed. */
  fail(span: Span, message?: string): void {
    const code = this.#api.SpanStatusCode.ERROR;
    span.setStatus(message === undefined ? { code } : { code, message });
  }

  /** Resolves when every span that has ended was sent, or is lost. */
  flush(): Promise<void> {
    return this.#queue.forceFlush();
  }

  /** Sends what waits, until `promise` has settled, and ends the connection; a later span opens it again. */
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

/** How much longer than the exporter's own time the queue waits for it. */
const GRACE_MS = 5000;

/**
 * Makes it the process's, unless the program has one of its own. There are two copies of the
 * interface, one for `require`, which the SDK has, and one for `import`: who has asked for a
 * tracer before gets one only of the copy that was asked. So each of them is told.
 */
async function publish(api: TracingPackages["api"], provider: TracerProvider): Promise<void> {
  if (!api.trace.setGlobalTracerProvider(provider)) return;
  try {
    const { trace } = await import("@opentelemetry/api");
    api.trace.disable();
    trace.setGlobalTracerProvider(provider);
  } catch {
    // Without it the one copy serves those who ask from now on.
  }
}

const all = new Set<Tracing>();

/** A program without a server ends when it has nothing left to do: its spans are, then. */
function flushAtExit(tracing: Tracing): void {
  if (all.size === 0) process.once("beforeExit", () => void Promise.all([...all].map((one) => one.flush())));
  all.add(tracing);
}

/** By this key instrumentations of HTTP know that a request is the exporter's own (@opentelemetry/core). */
const SUPPRESSED = (api: TracingPackages["api"]): symbol =>
  api.createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");
