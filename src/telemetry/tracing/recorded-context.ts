import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { CallSpan } from "./call-span.js";

/** What makes the spans of calls that a request leads to. */
export interface CallMaker {
  call(method: string, url: URL): CallSpan;
}

/** A request's place in a trace that is recorded here: a plain value to whoever reads it. */
export class RecordedContext implements TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly sampled = true;
  readonly random: boolean;
  readonly traceState: string;
  readonly #calls: CallMaker;

  constructor(place: Omit<TraceContext, "sampled">, calls: CallMaker) {
    this.traceId = place.traceId;
    this.spanId = place.spanId;
    this.parentSpanId = place.parentSpanId;
    this.random = place.random;
    this.traceState = place.traceState;
    this.#calls = calls;
  }

  /** Begins the span of a call; undefined where the trace is not recorded here. */
  static callOf(trace: TraceContext | undefined, method: string, url: URL): CallSpan | undefined {
    return trace instanceof RecordedContext ? trace.#calls.call(method, url) : undefined;
  }
}
