// Decides which requests are traced. An untraced request costs a random number, or a read of
// `traceparent`.

import type { TraceContext } from "#core/facts/ingress-facts.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { Program } from "#runtime/compile/program.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { RunOrigin } from "#runtime/trace/tracing.js";
import { type Caller, RequestTrace } from "#telemetry/tracing/request-trace.js";
import { traceIds } from "#telemetry/tracing/trace-ids.js";
import { parseTraceparent, saysUnsampled } from "#telemetry/tracing/traceparent.js";
import { parseTracestate } from "#telemetry/tracing/tracestate.js";
import type { Tracing } from "#telemetry/tracing/tracing.js";
import type { ClientReader } from "../client/client.js";
import type { Exchange } from "../exchange/exchange.js";
import { newRequestId } from "../exchange/request-id.js";
import type { NativeRequest } from "../native/port.js";
import { type FetchedParts, requestPartsOf, responsePartsOf } from "./fetched-parts.js";
import { joinedRecorder } from "./joined-recorder.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";

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

  /** Call it after the gate, in the handler. */
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
    Observation.of(exchange, this.#observed, this.#observation).keepTrace(kept);
  }
}

/** Undefined without a valid `traceparent`. */
function callerOf(exchange: Exchange, request: NativeRequest): Caller | "unsampled" | undefined {
  // A single line needs no walk.
  if (!exchange.needsWalk && saysUnsampled(request.getHeader("traceparent"))) return "unsampled";
  const trace = callersTrace(request);
  if (trace === undefined) return undefined;
  if (!trace.sampled) return "unsampled";
  return { ...trace, spanId: trace.parentSpanId as string };
}

/** Runs a program for the kept trace and for recorders. */
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

/** Drops the trace of a probe. */
export function forgetTrace(exchange: Exchange): void {
  const { observation } = exchange;
  const { kept } = exchange.particulars;
  if (kept === null) return;
  exchange.own().kept = null;
  if (observation instanceof Observation) observation.keepTrace(null);
}

/** Continues the caller's trace, or starts a new one. */
export const traceOf = (request: NativeRequest, isTraced: boolean): TraceContext =>
  (isTraced ? callersTrace(request) : undefined) ?? begun();

/** Undefined without a valid `traceparent`. A walk finds a second one, which makes both invalid, and all lines of `tracestate`. */
export function callersTrace(request: NativeRequest): TraceContext | undefined {
  const caller = parseTraceparent(request.getHeader("traceparent"));
  if (caller === undefined) return undefined;
  const states: string[] = [];
  let parents = 0;
  request.forEach((name, value) => {
    if (name === "traceparent") parents += 1;
    else if (name === "tracestate") states.push(value);
  });
  if (parents > 1) return undefined;
  const { traceId, spanId: parentSpanId, sampled, random } = caller;
  const traceState = parseTracestate(states);
  return { traceId, spanId: traceIds.span(), parentSpanId, sampled, random, traceState };
}

const begun = (): TraceContext => ({
  traceId: traceIds.trace(),
  spanId: traceIds.span(),
  parentSpanId: undefined,
  sampled: false,
  random: true,
  traceState: "",
});

/** Origin of runs for requests. `route` is the pattern, `fetched` what its requests have of their head. */
export function requestOrigin(
  route: string | undefined,
  context: ObservationContext,
  fetched: FetchedParts,
): RunOrigin {
  const unobserved: Observed = { observers: [], facts: new Map(), route };
  return {
    requestOf: (request) => {
      const exchange = request as Exchange;
      // The log must have the same id.
      exchange.requestId ||= newRequestId();
      const { method, path, requestId, particulars } = exchange;
      return { method, path, route, requestId, traceId: particulars.trace?.traceId };
    },
    partsOf: (request) => requestPartsOf(request as Exchange, fetched),
    responseOf: (request) => responsePartsOf(request as Exchange),
    reportOf: (request) => (request as Exchange).reportIds,
    follow: (request, listener) => {
      Observation.of(request as Exchange, unobserved, context).follow(listener);
    },
  };
}

interface ConnectionRun {
  readonly connection: { readonly requestId: string };
}

/** Origin of runs for messages and the end of a WebSocket. */
export const connectionOrigin = (route: string): RunOrigin => ({
  requestOf: (request) => {
    const { requestId } = (request as ConnectionRun).connection;
    return { method: "GET", path: route, route, requestId, traceId: undefined };
  },
  reportOf: (request) => ({ requestId: (request as ConnectionRun).connection.requestId }),
  follow: undefined,
});
