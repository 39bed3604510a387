import type { Report } from "#core/reporter.js";
import type { Exchange } from "./native/exchange.js";

/** What tells a report's request from others; those of its trace where the route reads it. */
export function reportIds({
  requestId,
  particulars: { trace },
}: Exchange): Pick<Report, "requestId" | "traceId" | "spanId"> {
  return trace === null ? { requestId } : { requestId, traceId: trace.traceId, spanId: trace.spanId };
}
