// Two services. The shop asks the warehouse; both know the request by one id, and what
// they do for it are parts of one trace.

import {
  Axon,
  Framework,
  HttpClient,
  param,
  RequestId,
  synapse,
  TraceContext,
  UpstreamError,
} from "framework";

const count = Axon.start("count").thenFn(
  "count",
  { uses: { sku: param("sku"), requestId: RequestId, trace: TraceContext } },
  (_, bus) => ({
    left: bus.sku === "tea" ? 3 : 0,
    request: bus.requestId,
    trace: bus.trace.traceId,
  }),
);

export const warehouse = () => Framework.http().requestIdLayer().get("/items/:sku", count);

/** `at` is where the warehouse listens. */
export function shop(at: string) {
  const client = new HttpClient(at, { timeoutMs: 2000 });

  const askWarehouse = synapse({
    name: "ask warehouse",
    reads: [param("sku"), ...HttpClient.keys],
    call: (_: unknown, bus) => client.json(bus, `items/${encodeURIComponent(bus.get(param("sku")))}`),
    // A warehouse that is down is 502 for the shop's client, one that is slow 504.
    toFault: HttpClient.toFault,
    responses: UpstreamError.responses,
  });

  const offer = Axon.start("offer").then(askWarehouse);
  return Framework.http().requestIdLayer().get("/offers/:sku", offer);
}
