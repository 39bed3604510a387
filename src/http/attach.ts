// What a native app does with what arrives. Everything that it is to serve is attached
// here and nowhere else: an ingress may have several apps, and each serves the same.

import type { Dispatcher } from "./dispatcher.js";
import type { IngressPlan } from "./ingress-plan.js";
import type { NativeApp } from "./native/port.js";
import { traced } from "./rejection-context.js";
import { type AttachedEngine, attachWebSockets } from "./websocket/attach.js";

/**
 * Has the app serve what the ingress declares. Called for each app that an ingress makes:
 * with TLS there is a new one for each new certificate, beside the one whose connections
 * go on, and it is called once more for each further name of a certificate, after `domain`.
 */
export function attach(
  app: NativeApp,
  dispatcher: Dispatcher,
  { traceRejections }: IngressPlan,
  engine: AttachedEngine,
): void {
  attachWebSockets(app, dispatcher, traceRejections, engine);
  const handle: Dispatcher["handle"] = traceRejections
    ? (response, request, method) =>
        traced(response, request, (bound, id) => dispatcher.handle(bound, request, method, id))
    : (response, request, method) => dispatcher.handle(response, request, method);
  // The engine tells the usual methods apart while it routes; asking a request for its
  // method crosses into it once more.
  const handlerOf =
    (method: string): Parameters<NativeApp["any"]>[1] =>
    (response, request) =>
      handle(response, request, method);
  app
    .get("/*", handlerOf("GET"))
    .head("/*", handlerOf("HEAD"))
    .post("/*", handlerOf("POST"))
    .put("/*", handlerOf("PUT"))
    .patch("/*", handlerOf("PATCH"))
    .del("/*", handlerOf("DELETE"))
    .options("/*", handlerOf("OPTIONS"))
    .any("/*", (response, request) => handle(response, request, request.getCaseSensitiveMethod()));
}
