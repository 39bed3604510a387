// Which requests leave a trace. One that leaves none costs no more than the question: a
// random number where nobody has asked before, a look at `traceparent` where somebody has.

import type { Recorder } from "#core/recorder.js";
import type { Program } from "#runtime/program.js";
import type { RunState } from "#runtime/run-state.js";
import { saysUnsampled } from "#telemetry/traceparent.js";
import { type Caller, RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Tracing } from "#telemetry/tracing/tracing.js";
import type { ClientReader } from "./client.js";
import { joinedRecorder } from "./joined-recorder.js";
import type { Exchange } from "./native/exchange.js";
import type { NativeRequest } from "./native/port.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";
import { callersTrace } from "./trace-headers.js";

export class RequestTraces {
  readonly #tracing: Tracing;
  readonly #clients: ClientReader;
  readonly #observed: Observed;
  readonly #observation: ObservationContext;

  constructor(tracing: Tracing, clients: ClientReader, observed: Observed, observation: ObservationContext) {
    this.#tracing = tracing;
    this.#clients = clients;
    this.#observed = observed;
    this.#observation = observation;
  }

  /** Behind the gate, whatever that has said, and in the handler. */
  begin(exchange: Exchange, request: NativeRequest): void {
    const caller = exchange.isTraced ? callerOf(exchange, request) : undefined;
    if (caller === "unsampled") return;
    const traceId = caller === undefined ? this.#tracing.begins() : caller.traceId;
    if (traceId === undefined) return;
    const { method, host } = exchange;
    const scheme = this.#clients.schemeOf(exchange, request);
    const head = { method, host, scheme, userAgent: request.getHeader("user-agent") };
    const kept = new RequestTrace(this.#tracing, head, traceId, caller);
    const own = exchange.own();
    own.kept = kept;
    own.trace = kept.context;
    own.observation ??= new Observation(this.#observed, this.#observation);
    own.observation.keepTrace(kept);
  }
}

/** Undefined where nobody who can be believed has begun the trace. */
function callerOf(exchange: Exchange, request: NativeRequest): Caller | "unsampled" | undefined {
  // Of a single line nothing else has to be looked at.
  if (!exchange.repeats && saysUnsampled(request.getHeader("traceparent"))) return "unsampled";
  const trace = callersTrace(request);
  if (trace === undefined) return undefined;
  if (!trace.sampled) return "unsampled";
  return { ...trace, spanId: trace.parentSpanId as string };
}

/** Runs it for the trace of its request, or message, and for whoever watches it besides. */
export function runKept(
  kept: Pick<RequestTrace, "run" | "nodes" | "context">,
  program: Program,
  input: unknown,
  state: RunState,
): unknown {
  const { watch } = program;
  const { traceId, spanId } = kept.context;
  state.due().mark = { trace_id: traceId, span_id: spanId };
  if (watch === undefined) return kept.run(() => program.run(input, state));
  const told = (own: Recorder | undefined): Recorder =>
    (own && joinedRecorder([own, kept.nodes])) ?? kept.nodes;
  return kept.run(() => watch.runTold(input, state, told));
}

/** The request is a probe's: nobody wants to see those. */
export function forgetTrace(exchange: Exchange): void {
  const { kept, observation } = exchange.particulars;
  if (kept === null) return;
  exchange.own().kept = null;
  observation?.keepTrace(null);
}
