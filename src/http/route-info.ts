import type { TSchema } from "@sinclair/typebox";

import type { Schematic } from "#core/schematic.js";
import { outputSchemaOf } from "#runtime/axon-definition.js";
import { schematicOf } from "#runtime/schematic-of.js";
import { guardsOf } from "./answer-policy.js";
import { composed } from "./composition.js";
import type { Part } from "./extractor.js";
import type { IngressPlan } from "./ingress-plan.js";
import { declaredInput } from "./input.js";
import type { RouteDefinition } from "./route-definition.js";
import { type RouteIamInfo, routeIamInfo } from "./route-iam.js";
import { limitsOf } from "./route-limits.js";
import type { WebSocketDefinition } from "./websocket/flow.js";

/** A mounted route as data. */
export interface RouteInfo {
  /** "*" for the fallback, which serves every method. */
  readonly method: string;
  /** As it was declared: "/orders/:id". */
  readonly path: string;
  /** The Axon's name. */
  readonly axon: string;
  /** Names, in the order in which they run. */
  readonly layers: readonly string[];
  readonly guards: readonly string[];
  /** What verifies its callers behind them; undefined where nothing does. */
  readonly iam: RouteIamInfo | undefined;
  /** What its input is made of; undefined where it has none. */
  readonly input: Part | undefined;
  /** What it answers; undefined where nothing says. */
  readonly output: TSchema | undefined;
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly bodyLimit: number;
  /** How long a run may wait before it is answered 504, in milliseconds. */
  readonly timeoutMs: number;
  /** The Axon with its layers and guards, drawn. */
  readonly schematic: Schematic;
  /** What happens on the connections that it opens; undefined where it answers requests alone. */
  readonly webSocket: WebSocketInfo | undefined;
}

export interface WebSocketInfo {
  /** What a message is as JSON; undefined where it is text or bytes. */
  readonly schema: TSchema | undefined;
  readonly protocols: readonly string[];
  /** What messages run, and what the end does, drawn. */
  readonly message: Schematic;
  readonly close: Schematic | undefined;
}

export function routeInfos(plan: IngressPlan): readonly RouteInfo[] {
  const infos = plan.routes.map((route) => routeInfo(route, plan));
  return plan.fallback === undefined ? infos : [...infos, { ...routeInfo(plan.fallback, plan), method: "*" }];
}

function routeInfo(route: RouteDefinition, plan: IngressPlan): RouteInfo {
  const axon = composed(route, plan);
  const { method, pattern, responseSchemas, summary, tags } = route;
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
    summary,
    tags,
    bodyLimit,
    timeoutMs,
    schematic: schematicOf(axon),
    webSocket: route.webSocket && webSocketInfo(route.webSocket),
  };
}

const webSocketInfo = ({ message, close, schema, protocols }: WebSocketDefinition): WebSocketInfo => ({
  schema: schema ?? message.input,
  protocols,
  message: schematicOf(message),
  close: close && schematicOf(close),
});
