// WebSocket routes in a native app. The engine matches paths as they were sent, undecoded, so
// it is given patterns that match all of them, one for each set of limits: which of them a
// request is for says our own router, and the others leave it to the next.

import type { Dispatcher } from "../dispatcher.js";
import type { NativeApp, NativeServer, NativeWebSocketBehavior } from "../native/port.js";
import { traced } from "../rejection-context.js";
import { engineOptions } from "./web-sockets.js";

/** What of the engine stands beside its app. */
export interface AttachedEngine {
  readonly server: Pick<NativeServer, "SHARED_COMPRESSOR">;
  /** Told of the end of each connection: the engine tells the app's filter of none that was upgraded. */
  readonly ended: () => void;
}

/** Has the app serve the WebSocket routes of the ingress. */
export function attachWebSockets(
  app: NativeApp,
  dispatcher: Dispatcher,
  traceRejections: boolean,
  { server, ended }: AttachedEngine,
): void {
  const { webSockets } = dispatcher;
  const { behaviours } = webSockets;
  if (behaviours.length === 0) return;
  const handlers = webSockets.handlers(app, ended);
  for (const [i, limits] of behaviours.entries()) {
    const upgrade: NativeWebSocketBehavior["upgrade"] = (response, request, context) => {
      if (!dispatcher.upgradesBy(i, request.getUrl())) request.setYield(true);
      else if (traceRejections)
        traced(response, request, (bound, id) => dispatcher.handle(bound, request, "GET", id, context));
      else dispatcher.handle(response, request, "GET", "", context);
    };
    app.ws(`/*${i}`, { ...engineOptions(limits, server), ...handlers, upgrade });
  }
}
