// Which step of which run a span of OpenTelemetry is in, by the id of its parent. Filled only while
// an Inspector watches, for runs in flight.

import type { InnerSpan, InnerStart } from "#core/timeline/inner-span.js";
import type { TracedRun } from "#core/timeline/recorder.js";

// Not the SDK's types, as in span-queue.ts.

/** The part of a Span that is read. */
interface StartedSpan {
  readonly name: string;
  readonly startTime: readonly [seconds: number, nanoseconds: number];
  readonly parentSpanContext?: { readonly spanId: string } | undefined;
  readonly instrumentationScope: { readonly name: string };
  spanContext(): { readonly spanId: string };
}

interface EndedSpan extends StartedSpan {
  readonly duration: readonly [seconds: number, nanoseconds: number];
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Of one run: a loop of jumps enters its nodes often. */
const MAX_IDS = 1000;

/** One run, and the ids of the spans in it. */
export class RunPlaces {
  readonly #run: TracedRun;
  #ids: string[] | undefined = [];

  constructor(run: TracedRun) {
    this.#run = run;
  }

  /** The children of this span are inside the node, below the row. */
  put(spanId: string, node: string, row?: InnerSpan): void {
    // A node may go on when the request is answered, and with it the trace that is sent.
    if (this.#ids === undefined) return;
    if (this.#ids.push(spanId) > MAX_IDS) places.delete(this.#ids.shift() ?? "");
    places.set(spanId, { of: this, node, row });
  }

  begin(spanId: string, { node, row: parent }: Place, start: InnerStart): void {
    const row = this.#run.beginInner?.(node, { ...start, parent });
    if (row !== undefined) this.put(spanId, node, row);
  }

  /** The run is over. */
  close(): void {
    for (const id of this.#ids ?? []) places.delete(id);
    this.#ids = undefined;
  }
}

interface Place {
  readonly of: RunPlaces;
  readonly node: string;
  readonly row: InnerSpan | undefined;
}

const places = new Map<string, Place>();
let watchers = 0;

export const isWatched = (): boolean => watchers > 0;

/** Whether spans below this one are rows of a run. */
export const isPlaced = (spanId: string): boolean => places.has(spanId);

/** Until the returned function is called, spans are recorded in their runs. */
export function watchSpans(): () => void {
  watchers += 1;
  let isOver = false;
  return () => {
    if (!isOver) watchers -= 1;
    isOver = true;
  };
}

/** Spans of this tracer are nodes and calls, which a run records itself. */
export const OWN_TRACER = "framework";
const ERROR = 2;
/** The SDK's clock and ours differ by less. A span that began earlier was made afterwards. */
const NOW_MS = 2;

function startOf({ name, startTime }: StartedSpan): InnerStart {
  const sinceMs = Date.now() - usOf(startTime) / 1000;
  return { kind: "span", name, sinceUs: sinceMs > NOW_MS ? sinceMs * 1000 : 0 };
}

const usOf = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1e6 + nanoseconds / 1e3;

/** A SpanProcessor of the SDK, which records spans in their runs. */
export class InnerSpanProcessor {
  onStart(span: StartedSpan): void {
    if (places.size === 0 || span.instrumentationScope.name === OWN_TRACER) return;
    const place = places.get(span.parentSpanContext?.spanId ?? "");
    place?.of.begin(span.spanContext().spanId, place, startOf(span));
  }

  onEnd(span: EndedSpan): void {
    if (places.size === 0) return;
    const { attributes, status, duration } = span;
    const type = attributes["error.type"];
    const failed = status.code === ERROR ? (typeof type === "string" ? type : "error") : undefined;
    places.get(span.spanContext().spanId)?.row?.end({ failed, attributes, tookUs: usOf(duration) });
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
