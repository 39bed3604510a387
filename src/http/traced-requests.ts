// What a traced run is told to belong to. Nothing here is called for other runs.

import type { RunOrigin } from "#runtime/run-origin.js";
import type { Exchange } from "./native/exchange.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";
import { reportIds } from "./report-ids.js";
import { newRequestId } from "./request-id.js";

/** Of runs that answer a request; `route` is the pattern, undefined where none serves it. */
export function requestOrigin(route: string | undefined, context: ObservationContext): RunOrigin {
  const unobserved: Observed = { observers: [], facts: new Map(), route };
  return {
    requestOf: (request) => {
      const exchange = request as Exchange;
      // As whoever writes it to the log does, who may follow.
      exchange.requestId ||= newRequestId();
      const { method, path, requestId, particulars } = exchange;
      return { method, path, route, requestId, traceId: particulars.trace?.traceId };
    },
    reportOf: (request) => reportIds(request as Exchange),
    follow: (request, listener) => {
      const own = (request as Exchange).own();
      own.observation ??= new Observation(unobserved, context);
      own.observation.follow(listener);
    },
  };
}

/** A run of a WebSocket knows the id of the request that its connection began with. */
interface ConnectionRun {
  readonly connection: { readonly requestId: string };
}

/** Of runs of a WebSocket's messages, and of its end. */
export const connectionOrigin = (route: string): RunOrigin => ({
  requestOf: (request) => {
    const { requestId } = (request as ConnectionRun).connection;
    return { method: "GET", path: route, route, requestId, traceId: undefined };
  },
  reportOf: (request) => ({ requestId: (request as ConnectionRun).connection.requestId }),
  follow: undefined,
});
