import type { TraceContext } from "#core/ingress-facts.js";
import { traceIds } from "#telemetry/trace-ids.js";
import { parseTraceparent } from "#telemetry/traceparent.js";
import { parseTracestate } from "#telemetry/tracestate.js";
import type { NativeRequest } from "./native/port.js";

/** The caller's trace continued, or a new one. Whether there may be a caller's has been seen before. */
export const traceOf = (request: NativeRequest, isTraced: boolean): TraceContext =>
  (isTraced ? callersTrace(request) : undefined) ?? begun();

/**
 * The caller's trace continued; undefined where it gave none that is valid. Only a walk over
 * all headers shows a second `traceparent`, which makes the first worth nothing, and all of
 * `tracestate`.
 */
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
