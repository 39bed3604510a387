// What a traced run is told to belong to. Nothing here is called for other runs.

import type { RunOrigin } from "#runtime/run-origin.js";
import type { Exchange } from "./native/exchange.js";
import { Observation, type ObservationContext, type Observed } from "./observation.js";
import { newRequestId } from "./request-id.js";
import type { SentSecrets } from "./sent-secrets.js";
import type { RunSecrets, SecretRun } from "./websocket/run-secrets.js";

/** Of runs that answer a request; `route` is the pattern, undefined where none serves it. */
export function requestOrigin(
  route: string | undefined,
  context: ObservationContext,
  secrets: SentSecrets,
): RunOrigin {
  const { reportOf } = secrets;
  const unobserved: Observed = { observers: [], facts: new Map(), route, reportOf };
  return {
    requestOf: (request) => {
      const exchange = request as Exchange;
      // As whoever writes it to the log does, who may follow.
      exchange.requestId ||= newRequestId();
      const { method, path, requestId, particulars } = exchange;
      return { method, path, route, requestId, traceId: particulars.trace?.traceId };
    },
    tellSecrets: (request, to) => to.addTexts(secrets.of(request as Exchange).texts),
    reportOf: (request) => reportOf(request as Exchange),
    follow: (request, listener) => {
      const own = (request as Exchange).own();
      own.observation ??= new Observation(unobserved, context);
      own.observation.follow(listener);
    },
  };
}

/** Of runs of a WebSocket's messages, and of its end: what is kept of the handshake is its id, and what is secret. */
export const connectionOrigin = (route: string, secrets: RunSecrets): RunOrigin => ({
  requestOf: (request) => {
    const { requestId } = (request as SecretRun).connection;
    return { method: "GET", path: route, route, requestId, traceId: undefined };
  },
  tellSecrets: (request, to) => to.addTexts(secrets.of(request as SecretRun).texts),
  reportOf: (request) => secrets.reportOf(request as SecretRun),
  follow: undefined,
});
