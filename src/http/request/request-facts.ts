import type { ClientReader } from "../client/client.js";
import type { Exchange } from "../exchange/exchange.js";
import { clientRequestId, newRequestId } from "../exchange/request-id.js";
import { parseQuery } from "../input/form-fields.js";
import { allFields } from "../input/head-parameters.js";
import { joinedFields } from "../native/head-fields.js";
import type { NativeRequest } from "../native/port.js";
import { Refusal } from "../refusal/refusal.js";
import type { CircuitSupply } from "./ingress-supply.js";
import { callersTrace, traceOf } from "./request-traces.js";

/** Fetches the facts that a route's steps declare, while the native request is valid. Returns the refusal of a malformed query. */
export function fetchFacts(
  {
    headers,
    readsRequestId,
    readsTrace,
    tellsTrace,
    readsClient,
    readsScheme,
    readsQuery,
    readsHead,
  }: CircuitSupply,
  clients: ClientReader,
  exchange: Exchange,
  request: NativeRequest,
): Refusal | undefined {
  if (headers.length > 0)
    exchange.own().headers = exchange.needsWalk ? joinedFields(request, headers) : lookedUp(request, headers);
  if (readsRequestId && exchange.requestId === "") {
    exchange.requestId = clientRequestId(request.getHeader("x-request-id")) || newRequestId();
  }
  // Already set if the trace is kept.
  if (readsTrace) exchange.own().trace ??= traceOf(request, exchange.isTraced);
  else if (tellsTrace && exchange.isTraced) exchange.own().trace ??= callersTrace(request) ?? null;
  if (readsClient) exchange.own().client ??= clients.read(exchange, request);
  if (readsScheme) exchange.own().scheme = clients.schemeOf(exchange, request);
  if (readsHead) exchange.own().head = allFields(request);
  if (!readsQuery) return undefined;
  const parameters = parseQuery(exchange.query);
  if (parameters instanceof Refusal) return parameters;
  exchange.own().parameters = parameters;
  return undefined;
}

/** Without a closure, because most routes call it. */
function lookedUp(request: NativeRequest, names: readonly string[]): readonly (string | undefined)[] {
  const values: (string | undefined)[] = [];
  for (let i = 0; i < names.length; i += 1) values.push(request.getHeader(names[i] as string) || undefined);
  return values;
}
