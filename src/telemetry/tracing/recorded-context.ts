import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { CallSpan } from "./call-span.js";

/** Creates the spans of a request's outgoing calls. */
export interface CallMaker {
  call(method: string, url: URL): CallSpan;
}

/** A request's place in a recorded trace. Readers see a plain TraceContext. */
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

  /** Starts the span of an outgoing call; undefined if the trace is not recorded. */
  static callOf(trace: TraceContext | undefined, method: string, url: URL): CallSpan | undefined {
    return trace instanceof RecordedContext ? trace.#calls.call(method, url) : undefined;
  }
}
