// Spans on their way to the collector.

import type { Context } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Reporter } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";

export interface SpanQueueOptions {
  /** Connects to nothing before its first `export`. */
  readonly makeExporter: () => SpanExporter;
  readonly reporter: Reporter;
  /** Runs what must not be traced itself. */
  readonly untraced: (run: () => void) => void;
  /** Spans that are kept at most. Default 4096. */
  readonly maxSpans?: number;
  /** Spans that are sent at once. Default 512. */
  readonly batchSpans?: number;
  /** How long a span waits for others in milliseconds. Default 2000. */
  readonly delayMs?: number;
  /** After how long an export that has not ended is given up. Default 15 000; the exporter's own comes before. */
  readonly exportTimeoutMs?: number;
  readonly clock?: Clock;
}

const REPORTED_EVERY_MS = 60_000;
const SAMPLED = 1;

export class SpanQueue implements SpanProcessor {
  readonly #options: Required<SpanQueueOptions>;
  #waiting: ReadableSpan[] = [];
  #exporter: SpanExporter | undefined;
  #sending: Promise<void> | undefined;
  /** How many of those that are on their way are not given up. */
  #underway = 0;
  /** Ends the wait for a batch to fill. */
  #unwait: (() => void) | undefined;
  #lost = 0;
  #lostBefore = 0;
  #reason = "";
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SpanQueueOptions) {
    const defaults = { maxSpans: 4096, batchSpans: 512, delayMs: 2000, exportTimeoutMs: 15_000 };
    this.#options = { ...defaults, clock: unheldClock, ...options };
  }

  /** Spans that were lost since the process began. */
  get dropped(): number {
    return this.#lostBefore + this.#lost;
  }

  /** Spans that wait to be sent. */
  get size(): number {
    return this.#waiting.length;
  }

  onStart(_span: unknown, _parent: Context): void {}

  onEnd(span: ReadableSpan): void {
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
      // Not in the turn of the request that filled it.
      this.#unwait = clock.after(0, () => void this.#send());
    } else this.#unwait ??= clock.after(delayMs, () => void this.#send());
  }

  /** Resolves when all that waits was sent, or is lost. */
  async forceFlush(): Promise<void> {
    while (this.#sending !== undefined || this.#waiting.length > 0) await (this.#sending ?? this.#send());
  }

  /** Sends what waits, until `promise` has settled; gives up the rest, reports it, and ends the connection. */
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

  /** As the interface has it; who stops a server calls `rest`. */
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

  /** Answers why the batch was not taken; undefined where it was. */
  #export(spans: ReadableSpan[]): Promise<string | undefined> {
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

/** The process's own time, whose timers keep nothing alive. */
const unheldClock: Clock = {
  now: systemClock.now,
  after(ms, then) {
    const timer = setTimeout(then, ms).unref();
    return () => clearTimeout(timer);
  },
};
