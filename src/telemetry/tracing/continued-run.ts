// The trace of a run that continues an earlier one. It is a trace of its own, linked to the earlier
// trace, which ended long ago.

import { isFault } from "#core/bus/outcome.js";
import type { ContinuedTrace } from "#core/timeline/continued-trace.js";
import { isTraceMark, type TraceMark } from "#core/timeline/trace-mark.js";
import type { RunNodes } from "./run-nodes.js";
import { RunTrace } from "./run-trace.js";
import type { TraceLink, Tracing } from "./tracing.js";

export class ContinuedRun implements ContinuedTrace {
  readonly #trace: RunTrace;

  private constructor(tracing: Tracing, name: string, traceId: string, link: TraceLink | undefined) {
    const start = { name, kind: "INTERNAL", attributes: {}, link } as const;
    const place = { traceId, parentSpanId: undefined, traceState: "", random: true };
    this.#trace = new RunTrace(tracing, place, (startedAt) =>
      tracing.root({ ...start, startedAt }, traceId, undefined),
    );
  }

  /**
   * Undefined if the run is not traced. It always is if the earlier trace was sampled, else the
   * ratio decides.
   */
  static of(tracing: Tracing, name: string, from: TraceMark | undefined): ContinuedRun | undefined {
    const link = linkTo(from);
    const traceId = link === undefined ? tracing.begins() : tracing.newTraceId();
    return traceId === undefined ? undefined : new ContinuedRun(tracing, name, traceId, link);
  }

  get mark(): TraceMark {
    const { traceId, spanId } = this.#trace.context;
    return { trace_id: traceId, span_id: spanId };
  }

  get nodes(): RunNodes {
    return this.#trace.nodes;
  }

  run<T>(call: () => T): T {
    // Runs in the active context, as without tracing.
    return this.#trace.run(call, this.#trace.context.spanId);
  }

  /** The run has no client to refuse: each fault is an error. */
  end(outcome: unknown): void {
    const isError = isFault(outcome);
    const attributes = isError ? { "error.type": this.#trace.failedWith ?? "fault" } : {};
    this.#trace.end({ attributes, isError });
  }
}

const linkTo = (from: TraceMark | undefined): TraceLink | undefined =>
  isTraceMark(from) ? { traceId: from.trace_id, spanId: from.span_id } : undefined;
