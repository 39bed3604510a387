// What a program says of a WebSocket route, typed or not.

import type { Static, TSchema } from "@sinclair/typebox";

import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";
import { isToken } from "#core/header-syntax.js";
import type { AnyLayer } from "#core/layer.js";
import { declareProtocols } from "#core/offered-protocols.js";
import { type OriginRule, OriginRules } from "#core/origin-rules.js";
import type { Fault } from "#core/outcome.js";
import type { MaybePromise, ValueOf } from "#core/outcome-types.js";
import { type WebSocketClose, WebSocketConnection, type WebSocketSession } from "#core/web-socket.js";
import { Axon } from "#runtime/axon.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import type { AnyAxon, Flow, flow, HasOf, InputSource } from "#runtime/axon-types.js";
import { requireSound } from "#runtime/soundness.js";
import type { ConnectionKey, FrontWrites, GroupOptions } from "../ingress-types.js";
import { namesOf, requireKnown, requireLists } from "../known-options.js";
import type { RouteIam } from "../route-iam.js";
import {
  WEBSOCKET_LIMITS,
  type WebSocketLimitPlan,
  type WebSocketLimits,
  webSocketLimits,
} from "./limits.js";

/** An Axon that takes `In`, answers `Out`, and reads nothing but `Provided` from outside. */
interface AxonOf<in In, out Out, out Provided, out Src extends InputSource = InputSource> {
  readonly [flow]: Flow<In, Out, unknown, Provided, never, Src>;
}

type Handler<In, State, Out> = (
  input: In,
  connection: WebSocketConnection<State>,
) => MaybePromise<Out | Fault<unknown>>;

/** What a message is to its route: by its schema, or text or bytes as it came. */
type MessageOf<S extends TSchema> = [S] extends [never] ? string | Uint8Array : Static<S>;

/** What stands around the handshake, as around a route. */
export interface WebSocketRouteOptions
  extends Pick<GroupOptions, "guards" | "layers" | "without" | "timeoutMs" | "tags"> {
  /** Whom the route lets in. */
  readonly iam?: RouteIam;
  /** What it does, in a line: for documentation. */
  readonly summary?: string;
  /**
   * Origins whose pages may connect beside the server's own. What is no browser names none,
   * and may. Default: none.
   */
  readonly allowedOrigins?: readonly OriginRule[];
  /** Subprotocols, the best one first: the first that the client offers is chosen. Default: none is. */
  readonly protocols?: readonly string[];
}

/**
 * What a WebSocket route does. Each of the three is an Axon or a function that is also given
 * the connection.
 */
export interface WebSocketFlow<State, S extends TSchema, Needs>
  extends WebSocketRouteOptions,
    WebSocketLimits {
  /** What a message is as JSON. Default: the input schema of `message`; without one, text and bytes. */
  readonly schema?: S;
  /** Runs before the client is answered: a fault is that answer. What it answers is the connection's state. */
  readonly open?: Handler<WebSocketSession, undefined, State> | AxonOf<WebSocketSession, State, Needs>;
  /** Runs for each message. Text and bytes that it answers are sent as they are, data as JSON, undefined not at all. */
  readonly message:
    | Handler<MessageOf<S>, ValueOf<State>, unknown>
    | AxonOf<MessageOf<S>, unknown, Needs>
    | AxonOf<never, unknown, Needs, "schema">;
  /** Runs once for each connection that `open` let in, when it has ended. */
  readonly close?: Handler<WebSocketClose, ValueOf<State>, unknown> | AxonOf<WebSocketClose, unknown, Needs>;
}

/** What stands before the Axons of such a route, as far as it writes keys that they may read. */
export interface WebSocketFront<G extends AnyGuard, L extends AnyLayer, I extends RouteIam, O> {
  readonly guards?: readonly G[];
  readonly layers?: readonly L[];
  readonly iam?: I;
  readonly open?: O;
}

/** The keys that each Axon of such a route may read. */
export type ConnectionKeys<G extends AnyGuard, L extends AnyLayer, I extends RouteIam, O> =
  | ConnectionKey
  | FrontWrites<{ readonly guards: readonly G[]; readonly layers: readonly L[] }>
  | ([I] extends [never] ? never : FrontWrites<{ readonly iam: I }>)
  | HasOf<O>;

/** A WebSocket route as it was declared. */
export interface WebSocketDefinition {
  readonly message: AxonDefinition;
  readonly close: AxonDefinition | undefined;
  readonly schema: TSchema | undefined;
  readonly limits: WebSocketLimitPlan;
  readonly origins: OriginRules;
  readonly protocols: readonly string[];
}

/** What runs on its connections. */
export const axonsOf = (definition: WebSocketDefinition | undefined): readonly AxonDefinition[] =>
  definition === undefined ? [] : [definition.message, ...(definition.close ? [definition.close] : [])];

/** In the place of the Axon of a route: what opens a connection, and what happens on it. */
export interface WebSocketMount {
  readonly definition: AxonDefinition;
  readonly webSocket: WebSocketDefinition;
}

const OPTIONS = namesOf<WebSocketFlow<unknown, TSchema, AnyKey>>({
  ...WEBSOCKET_LIMITS,
  schema: true,
  open: true,
  message: true,
  close: true,
  guards: true,
  layers: true,
  without: true,
  timeoutMs: true,
  tags: true,
  iam: true,
  summary: true,
  allowedOrigins: true,
  protocols: true,
});

type AnyFlow = WebSocketFlow<unknown, TSchema, AnyKey>;

/** Throws CONFIG_INVALID and ROUTE_INVALID for what is wrong with it by itself. */
export function webSocketMount(path: string, given: unknown): WebSocketMount {
  const where = `ws('${path}')`;
  if (typeof given !== "object" || given === null)
    throw new FrameworkError(
      "CONFIG_INVALID",
      `${where} is given ${given === null ? "null" : typeof given}: give it what happens, as in { message: (message) => message }`,
    );
  requireKnown(where, given, OPTIONS);
  const flow = given as AnyFlow;
  requireLists(where, flow, ["protocols", "allowedOrigins"]);
  const wrong = flow.protocols?.find((name) => !isToken(name));
  if (wrong !== undefined)
    throw new FrameworkError(
      "CONFIG_INVALID",
      `protocols of ${where}: '${wrong}' is no token, as "chat.v1" is`,
    );
  const open = definitionOf(flow.open ?? (() => undefined), path, "open");
  if (open.input !== undefined)
    throw new FrameworkError(
      "ROUTE_INVALID",
      `open of ${where} has an input schema, and is given the session: begin it without, as in Axon.start<WebSocketSession>("open")`,
    );
  const { timeoutMs: _, protocols = [], ...limits } = flow;
  declareProtocols(protocols);
  const origins = new OriginRules(flow.allowedOrigins ?? [], `allowedOrigins of ${where}`);
  origins.requireOwned(`allowedOrigins of ${where}`);
  return {
    definition: open,
    webSocket: {
      message: definitionOf(flow.message, path, "message"),
      close: flow.close === undefined ? undefined : definitionOf(flow.close, path, "close"),
      schema: flow.schema,
      limits: webSocketLimits(where, limits),
      origins,
      protocols,
    },
  };
}

/** Those of its options that a route has. */
export function frontOf(given: unknown): WebSocketRouteOptions {
  const { guards, layers, without, timeoutMs, tags, iam, summary } = given as AnyFlow;
  return {
    ...(guards && { guards }),
    ...(layers && { layers }),
    ...(without && { without }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(tags && { tags }),
    ...(iam && { iam }),
    ...(summary !== undefined && { summary }),
  };
}

function definitionOf(given: unknown, path: string, part: string): AxonDefinition {
  if (typeof given === "function") return handlerAxon(given as Handler<never, never, unknown>, path, part);
  const { definition } = (given ?? {}) as Partial<AnyAxon>;
  if (definition === undefined)
    throw new FrameworkError(
      "ROUTE_INVALID",
      `${part} of ws('${path}') is neither an Axon nor a function: give it one, as in { ${part}: (input, connection) => undefined }`,
    );
  requireSound(definition);
  return definition;
}

const handlerAxon = (run: Handler<never, never, unknown>, path: string, part: string): AxonDefinition =>
  Axon.start<never>(`${path} ${part}`).thenFn(
    run.name || part,
    (input, bus) => run(input, bus.get(WebSocketConnection) as never),
    { reads: [WebSocketConnection] },
  ).definition;
