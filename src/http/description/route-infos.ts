import { outputSchemaOf } from "#runtime/definition/axon-definition.js";
import { type SchematicOptions, schematicOf } from "#runtime/draw/schematic-of.js";
import { guardsOf } from "../answer/answer-policy.js";
import { routeResponses } from "../answer/route-responses.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { routeIamInfo } from "../plan/route-iam.js";
import type { RouteInfo, WebSocketInfo } from "../plan/route-info.js";
import { declaredInput, limitsOf } from "../plan/route-input.js";
import type { WebSocketDefinition } from "../plan/web-socket-definition.js";
import { composed } from "../request/composition.js";
import { admissions, headInputs, headOutputs } from "../request/route-front.js";
import { usingStores } from "./used-stores.js";

export function routeInfos(plan: IngressPlan, options: SchematicOptions = {}): readonly RouteInfo[] {
  return usingStores(plan, () => {
    const infos = plan.routes.map((route) => routeInfo(route, plan, options));
    return plan.fallback === undefined
      ? infos
      : [...infos, { ...routeInfo(plan.fallback, plan, options), method: "*" }];
  });
}

function routeInfo(route: RouteDefinition, plan: IngressPlan, options: SchematicOptions): RouteInfo {
  const axon = composed(route, plan);
  const { method, pattern, responseSchemas, summary, description, operationId, tags, deprecated } = route;
  const { bodyLimit, timeoutMs } = limitsOf(route, guardsOf(axon), plan);
  return {
    method,
    path: pattern.text,
    axon: axon.name,
    layers: axon.layers.map(({ layer }) => layer.name),
    guards: axon.guards.map(({ transition }) => transition.name),
    iam: routeIamInfo(axon),
    input: declaredInput(route),
    output: outputSchemaOf(axon),
    responseSchemas,
    responses: routeResponses(route, axon, plan.runStatus !== undefined),
    reads: headInputs(axon),
    accepts: guardsOf(axon).findLast(({ accepts }) => accepts !== undefined)?.accepts,
    writes: headOutputs(axon, plan),
    admits: admissions(axon),
    detached: route.detached,
    summary,
    description,
    operationId,
    tags,
    deprecated,
    internal: route.internal || route.isProbe,
    bodyLimit,
    timeoutMs,
    schematic: schematicOf(axon, options),
    webSocket: route.webSocket && webSocketInfo(route.webSocket, options),
    events: route.events,
  };
}

const webSocketInfo = (
  { message, close, schema, protocols, limits }: WebSocketDefinition,
  options: SchematicOptions,
): WebSocketInfo => ({
  schema: schema ?? message.input,
  output: outputSchemaOf(message),
  protocols,
  limits,
  message: schematicOf(message, options),
  close: close && schematicOf(close, options),
});
