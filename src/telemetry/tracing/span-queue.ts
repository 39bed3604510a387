// The queue of spans to export.

import type { Context } from "@opentelemetry/api";
import type { Reporter } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";

// Not the SDK's types: it is an optional peer, which no declaration of the package may import.
// tracing.ts, which passes the SDK's exporters and spans, proves that they fit.

/** The part of a ReadableSpan that the queue reads. */
export interface EndedSpan {
  spanContext(): { readonly traceFlags: number };
}

/** The part of a SpanExporter that the queue calls. */
export interface SpanExporter {
  export(spans: EndedSpan[], done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

export interface SpanQueueOptions {
  /** Must not connect before the first `export`. */
  readonly makeExporter: () => SpanExporter;
  readonly reporter: Reporter;
  /** Runs a callback without tracing it. */
  readonly untraced: (run: () => void) => void;
  /** Limit of queued spans. Default 4096. */
  readonly maxSpans?: number;
  /** Spans per export. Default 512. */
  readonly batchSpans?: number;
  /** Time to wait for further spans, in milliseconds. Default 2000. */
  readonly delayMs?: number;
  /** Time limit of an export, in milliseconds. Default 15 000, above the exporter's own limit. */
  readonly exportTimeoutMs?: number;
  readonly clock?: Clock;
}

const REPORTED_EVERY_MS = 60_000;
const SAMPLED = 1;

/** A SpanProcessor of the SDK. */
export class SpanQueue {
  readonly #options: Required<SpanQueueOptions>;
  #waiting: EndedSpan[] = [];
  #exporter: SpanExporter | undefined;
  #sending: Promise<void> | undefined;
  /** Number of spans in flight that are not given up. */
  #underway = 0;
  /** Ends the wait for a full batch. */
  #unwait: (() => void) | undefined;
  #lost = 0;
  #lostBefore = 0;
  #reason = "";
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpanQueueOptions) {
    const defaults = { maxSpans: 4096, batchSpans: 512, delayMs: 2000, exportTimeoutMs: 15_000 };
    this.#options = { ...defaults, clock: unheldClock, ...options };
  }

  /** Number of spans dropped since the process began. */
  get dropped(): number {
    return this.#lostBefore + this.#lost;
  }

  /** Number of queued spans. */
  get size(): number {
    return this.#waiting.length;
  }

  onStart(_span: unknown, _parent: Context): void {}

  onEnd(span: EndedSpan): void {
    if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
    const { maxSpans, batchSpans, delayMs, clock } = this.#options;
    if (this.#waiting.length >= maxSpans) {
      this.#lose(1, `more than ${maxSpans} waited to be sent`);
      return;
    }
    this.#waiting.push(span);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length === batchSpans) {
      this.#unwait?.();
      // Not within the turn of the request that filled the batch.
      this.#unwait = clock.after(0, () => void this.#send());
    } else this.#unwait ??= clock.after(delayMs, () => void this.#send());
  }

  /** Resolves when the queued spans are exported or dropped. */
  async forceFlush(): Promise<void> {
    while (this.#sending !== undefined || this.#waiting.length > 0) await (this.#sending ?? this.#send());
  }

  /**
   * Exports queued spans until `promise` settles; then drops and reports the rest, and closes the
   * connection.
   */
  async rest(until: Promise<unknown>): Promise<void> {
    await Promise.race([this.forceFlush(), until]);
    const left = this.#waiting.length + this.#underway;
    this.#waiting = [];
    this.#underway = 0;
    if (left > 0) this.#lose(left, "the process stopped before they were sent");
    this.#report();
    const exporter = this.#exporter;
    this.#exporter = undefined;
    await Promise.race([exporter?.shutdown().catch(() => {}), until]);
  }

  /** Required by the interface; a server's stop calls `rest`. */
  async shutdown(): Promise<void> {
    await this.rest(new Promise(() => {}));
  }

  #send(): Promise<void> {
    this.#unwait?.();
    this.#unwait = undefined;
    const spans = this.#waiting.splice(0, this.#options.batchSpans);
    if (spans.length === 0) return Promise.resolve();
    this.#underway = spans.length;
    this.#sending = this.#export(spans).then((failure) => {
      this.#sending = undefined;
      if (failure !== undefined && this.#underway > 0) this.#lose(this.#underway, failure);
      this.#underway = 0;
      const { batchSpans, delayMs, clock } = this.#options;
      if (this.#waiting.length === 0) return;
      const waitMs = this.#waiting.length >= batchSpans ? 0 : delayMs;
      this.#unwait ??= clock.after(waitMs, () => void this.#send());
    });
    return this.#sending;
  }

  /** Resolves to the reason of a failure; undefined on success. */
  #export(spans: EndedSpan[]): Promise<string | undefined> {
    const { makeExporter, untraced, exportTimeoutMs, clock } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(exportTimeoutMs, () =>
        resolve(`the endpoint took longer than ${exportTimeoutMs} ms`),
      );
      try {
        untraced(() => {
          this.#exporter ??= makeExporter();
          this.#exporter.export(spans, ({ code, error }) => {
            cancel();
            resolve(code === 0 ? undefined : (error?.message ?? "the endpoint refused them"));
          });
        });
      } catch (error) {
        cancel();
        resolve(error instanceof Error ? error.message : String(error));
      }
    });
  }

  #lose(count: number, reason: string): void {
    this.#lost += count;
    this.#reason = reason;
    if (this.#options.clock.now() - this.#reportedAt >= REPORTED_EVERY_MS) this.#report();
  }

  #report(): void {
    if (this.#lost === 0) return;
    const count = this.#lost;
    this.#lostBefore += count;
    this.#lost = 0;
    this.#reportedAt = this.#options.clock.now();
    const message = `${count} spans were not sent: ${this.#reason}`;
    this.#options.reporter({ code: "TELEMETRY_DROPPED", message });
  }
}

/** The system clock with unreferenced timers, which do not keep the process alive. */
const unheldClock: Clock = {
  now: systemClock.now,
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};
