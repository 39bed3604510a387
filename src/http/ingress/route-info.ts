import type { TSchema } from "@sinclair/typebox";

import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { Schematic } from "#core/flow/schematic.js";
import { outputSchemaOf } from "#runtime/definition/axon-definition.js";
import { type SchematicOptions, schematicOf } from "#runtime/draw/schematic-of.js";
import { guardsOf } from "../answer/answer-policy.js";
import type { Part } from "../input/extractor.js";
import { declaredInput, limitsOf } from "../input/input.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { EventsDefinition, RouteDefinition } from "../plan/route-definition.js";
import { type RouteIamInfo, routeIamInfo } from "../plan/route-iam.js";
import { composed } from "../request/composition.js";
import {
  type Admission,
  admissions,
  type HeadInput,
  headInputs,
  headOutputs,
} from "../request/route-front.js";
import type { WebSocketDefinition } from "../websocket/flow.js";
import type { WebSocketLimits } from "../websocket/limits.js";
import { routeResponses } from "./route-responses.js";

/** A mounted route as data. */
export interface RouteInfo {
  /** "*" for the fallback. */
  readonly method: string;
  /** As declared: "/orders/:id". */
  readonly path: string;
  readonly axon: string;
  /** Names, in the order in which they run. */
  readonly layers: readonly string[];
  readonly guards: readonly string[];
  readonly iam: RouteIamInfo | undefined;
  readonly input: Part | undefined;
  readonly output: TSchema | undefined;
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  /** What it can respond with beside its output, as far as that is declared; of each status and code once. */
  readonly responses: readonly DeclaredResponse[];
  /** What it reads of the head beside its input. */
  readonly reads: readonly HeadInput[];
  /** The media types of bodies that a guard lets pass; undefined where none says. */
  readonly accepts: readonly string[] | undefined;
  /** Names of headers that its responses can have; sorted, in lower case. */
  readonly writes: readonly string[];
  /** Whom its guards and its Axon let in: each of these policies has to. */
  readonly admits: readonly Admission[];
  /** Whether it responds before its run is over. */
  readonly detached: boolean;
  readonly summary: string | undefined;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** Whether documentation leaves it out: probes too. */
  readonly internal: boolean;
  readonly bodyLimit: number;
  /** Milliseconds until a run is answered 504. */
  readonly timeoutMs: number;
  /** With layers and guards. */
  readonly schematic: Schematic;
  readonly webSocket: WebSocketInfo | undefined;
  /** Undefined for a route that is no stream of events. */
  readonly events: EventsDefinition | undefined;
}

export interface WebSocketInfo {
  /** Undefined for text or bytes. */
  readonly schema: TSchema | undefined;
  /** Of what `message` answers, and is sent back; undefined where it says none. */
  readonly output: TSchema | undefined;
  readonly protocols: readonly string[];
  readonly limits: Required<WebSocketLimits>;
  readonly message: Schematic;
  readonly close: Schematic | undefined;
}

export function routeInfos(plan: IngressPlan, options: SchematicOptions = {}): readonly RouteInfo[] {
  const infos = plan.routes.map((route) => routeInfo(route, plan, options));
  return plan.fallback === undefined
    ? infos
    : [...infos, { ...routeInfo(plan.fallback, plan, options), method: "*" }];
}

function routeInfo(route: RouteDefinition, plan: IngressPlan, options: SchematicOptions): RouteInfo {
  const axon = composed(route, plan);
  const { method, pattern, responseSchemas, summary, tags, deprecated } = route;
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
    responses: routeResponses(route, axon),
    reads: headInputs(axon),
    accepts: guardsOf(axon).findLast(({ accepts }) => accepts !== undefined)?.accepts,
    writes: headOutputs(axon, plan),
    admits: admissions(axon),
    detached: route.detached,
    summary,
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
