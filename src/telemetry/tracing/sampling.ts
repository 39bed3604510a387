// Decides which traces are sampled, and sets the ids of spans.

import type { Context } from "@opentelemetry/api";
import type { IdGenerator, Sampler, SamplingDecision, SamplingResult } from "@opentelemetry/sdk-trace";
import { isPlaced } from "./inner-places.js";
import type { TracingPackages } from "./packages.js";
import { decidingPart, leastOf, type TraceIds } from "./trace-ids.js";

export class Sampling implements Sampler, IdGenerator {
  readonly #least: number;
  readonly #ratio: number;
  readonly #ids: TraceIds;
  readonly #api: TracingPackages["api"];
  #decided: string | undefined;
  #spanId: string | undefined;

  constructor(ratio: number, ids: TraceIds, api: TracingPackages["api"]) {
    this.#ratio = ratio;
    this.#least = leastOf(ratio);
    this.#ids = ids;
    this.#api = api;
  }

  /** The id of a new trace if it is sampled; undefined otherwise, at no cost. */
  begins(): string | undefined {
    return this.#ids.traceFrom(this.#least);
  }

  /** Makes a span of a sampled trace. A root gets the given trace id. */
  keep<S>(traceId: string, make: () => S): S {
    this.#decided = traceId;
    try {
      return make();
    } finally {
      this.#decided = undefined;
    }
  }

  /** Makes a span with the given id. */
  withId<S>(spanId: string, make: () => S): S {
    this.#spanId = spanId;
    try {
      return make();
    } finally {
      this.#spanId = undefined;
    }
  }

  generateTraceId(): string {
    return this.#decided ?? this.#ids.trace();
  }

  generateSpanId(): string {
    return this.#spanId ?? this.#ids.span();
  }

  shouldSample(context: Context, traceId: string): SamplingResult {
    if (this.#keeps(context, traceId)) return { decision: KEEP };
    // Recorded for the Inspector, and not sent.
    const isInner = isPlaced(this.#api.trace.getSpanContext(context)?.spanId ?? "");
    return { decision: isInner ? RECORD : DROP };
  }

  toString(): string {
    return `ParentBased(${this.#ratio})`;
  }

  #keeps(context: Context, traceId: string): boolean {
    if (this.#decided !== undefined) return true;
    const { trace, isSpanContextValid } = this.#api;
    const parent = trace.getSpanContext(context);
    if (parent !== undefined && isSpanContextValid(parent)) return (parent.traceFlags & SAMPLED) !== 0;
    return decidingPart(traceId) >= this.#least;
  }
}

const SAMPLED = 1;
// Copied values: the enumeration is loaded on demand.
const DROP = 0 as SamplingDecision;
const RECORD = 1 as SamplingDecision;
const KEEP = 2 as SamplingDecision;
