import type { Static, TSchema } from "@sinclair/typebox";
import type { AnyKey } from "#core/bus/bus-key.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { Fault } from "#core/bus/outcome.js";
import type { MaybePromise, ValueOf } from "#core/bus/outcome-types.js";
import { type WebSocketClose, WebSocketConnection, type WebSocketSession } from "#core/facts/web-socket.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import { type OriginRule, OriginRules } from "#core/net/origin-rules.js";
import { isToken } from "#core/wire/header-syntax.js";
import { declareProtocols } from "#core/wire/offered-protocols.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon, HasOf } from "#runtime/axon/axon-types.js";
import { requireSound } from "#runtime/check/soundness.js";
import { requireNoWaits } from "#runtime/check/waiting-places.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { Flow, flow, InputSource } from "#runtime/definition/flow.js";
import type { ConnectionKey, FrontWrites, GroupOptions, RouteDocumentation } from "../plan/ingress-types.js";
import type { RouteIam } from "../plan/route-iam.js";
import type { WebSocketMount } from "../plan/web-socket-definition.js";
import { WEBSOCKET_LIMITS, type WebSocketLimits, webSocketLimits } from "../plan/web-socket-limits.js";
import {
  configInvalid,
  optionNames,
  requireKnown,
  requireLists,
  routeInvalid,
} from "../refusal/option-checks.js";

/** An Axon with input `In` and output `Out` that reads only `Provided` keys from outside. */
interface AxonOf<in In, out Out, out Provided, out Src extends InputSource = InputSource> {
  readonly [flow]: Flow<In, Out, unknown, Provided, never, Src>;
}

type Handler<In, State, Out> = (
  input: In,
  connection: WebSocketConnection<State>,
) => MaybePromise<Out | Fault<unknown>>;

type MessageOf<S extends TSchema> = [S] extends [never] ? string | Uint8Array : Static<S>;

export interface WebSocketRouteOptions
  extends Pick<
      GroupOptions,
      "guards" | "layers" | "without" | "timeoutMs" | "tags" | "deprecated" | "internal"
    >,
    RouteDocumentation {
  readonly iam?: RouteIam;
  /** Responses of an `open` that is a function, for documentation. An Axon's steps declare theirs. */
  readonly responses?: readonly DeclaredResponse[];
  /** Further origins whose pages may connect, beside the server's own. Clients without an Origin header may connect. Default: none. */
  readonly allowedOrigins?: readonly OriginRule[];
  /** Subprotocols, best first: the first that the client offers is chosen. Default: none. */
  readonly protocols?: readonly string[];
}

/** Handlers of a WebSocket route: three Axons, or functions that also get the connection. */
export interface WebSocketFlow<State, S extends TSchema, Needs>
  extends WebSocketRouteOptions,
    WebSocketLimits {
  /** Schema of messages, which are JSON then. Default: the input schema of `message`; without one, messages are text or bytes. */
  readonly schema?: S;
  /** Runs before the handshake is complete. A fault is sent as the response; the output is the connection's state. */
  readonly open?: Handler<WebSocketSession, undefined, State> | AxonOf<WebSocketSession, State, Needs>;
  /** Runs for each message. Output text and bytes are sent verbatim, data as JSON, undefined is not sent. */
  readonly message:
    | Handler<MessageOf<S>, ValueOf<State>, unknown>
    | AxonOf<MessageOf<S>, unknown, Needs>
    | AxonOf<never, unknown, Needs, "schema">;
  /** Runs once at the end of each connection that `open` admitted. */
  readonly close?: Handler<WebSocketClose, ValueOf<State>, unknown> | AxonOf<WebSocketClose, unknown, Needs>;
}

/** The parts of a WebSocket route that write keys. */
export interface WebSocketFront<G extends AnyGuard, L extends AnyLayer, I extends RouteIam, O> {
  readonly guards?: readonly G[];
  readonly layers?: readonly L[];
  readonly iam?: I;
  readonly open?: O;
}

export type ConnectionKeys<G extends AnyGuard, L extends AnyLayer, I extends RouteIam, O> =
  | ConnectionKey
  | FrontWrites<{ readonly guards: readonly G[]; readonly layers: readonly L[] }>
  | ([I] extends [never] ? never : FrontWrites<{ readonly iam: I }>)
  | HasOf<O>;

const OPTIONS = optionNames<WebSocketFlow<unknown, TSchema, AnyKey>>()(
  WEBSOCKET_LIMITS,
  "schema open message close guards layers without timeoutMs tags deprecated internal iam summary description operationId responses",
  "allowedOrigins protocols",
);

type AnyFlow = WebSocketFlow<unknown, TSchema, AnyKey>;

/** Throws CONFIG_INVALID and ROUTE_INVALID. */
export function webSocketMount(path: string, given: unknown): WebSocketMount {
  const where = `ws('${path}')`;
  if (typeof given !== "object" || given === null)
    throw configInvalid(
      `${where} is given ${given === null ? "null" : typeof given}: give it what happens, as in { message: (message) => message }`,
    );
  requireKnown(where, given, OPTIONS);
  const flow = given as AnyFlow;
  requireLists(where, flow, ["protocols", "allowedOrigins", "responses"]);
  const wrong = flow.protocols?.find((name) => !isToken(name));
  if (wrong !== undefined)
    throw configInvalid(`protocols of ${where}: '${wrong}' is no token, as "chat.v1" is`);
  const open = definitionOf(flow.open ?? (() => undefined), path, "open");
  if (open.input !== undefined)
    throw routeInvalid(
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

/** The options that all routes share. */
export function frontOf(given: unknown): WebSocketRouteOptions {
  const { guards, layers, without, timeoutMs, tags, deprecated, internal, iam } = given as AnyFlow;
  const { summary, description, operationId, responses } = given as AnyFlow;
  return {
    ...(guards && { guards }),
    ...(layers && { layers }),
    ...(without && { without }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(tags && { tags }),
    ...(deprecated !== undefined && { deprecated }),
    ...(internal !== undefined && { internal }),
    ...(iam && { iam }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(operationId !== undefined && { operationId }),
    ...(responses && { responses }),
  };
}

function definitionOf(given: unknown, path: string, part: string): AxonDefinition {
  if (typeof given === "function") return handlerAxon(given as Handler<never, never, unknown>, path, part);
  const { definition } = (given ?? {}) as Partial<AnyAxon>;
  if (definition === undefined)
    throw routeInvalid(
      `${part} of ws('${path}') is neither an Axon nor a function: give it one, as in { ${part}: (input, connection) => undefined }`,
    );
  requireSound(definition);
  requireNoWaits(
    definition,
    `in ${part} of ws('${path}'), whose connection may be gone by then`,
    "begin a run by startRun, and send its result to a room",
  );
  return definition;
}

const handlerAxon = (run: Handler<never, never, unknown>, path: string, part: string): AxonDefinition =>
  Axon.start<never>(`${path} ${part}`).thenFn(
    run.name || part,
    (input, bus) => run(input, bus.get(WebSocketConnection) as never),
    { reads: [WebSocketConnection] },
  ).definition;
