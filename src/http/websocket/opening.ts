// The route of a handshake. After guards and identity, a step checks the handshake, `open` runs, and a
// last step returns the upgrade.

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { fault, isFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import { header, OwnOrigin } from "#core/facts/ingress-facts.js";
import { WebSocketConnection, type WebSocketSession } from "#core/facts/web-socket.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { outputChecked } from "#runtime/check/schema-checks.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { stepOf } from "#runtime/definition/axon-extension.js";
import { leadingGuards } from "#runtime/definition/mounted.js";
import { mayGenerateCode } from "#schema/compile/code-generation.js";
import { sendRefusal } from "../answer/problem-answer.js";
import { SentAnswer } from "../answer/sent-answer.js";
import type { Exchange } from "../exchange/exchange.js";
import { newRequestId } from "../exchange/request-id.js";
import type { WebSocketDefinition } from "../plan/web-socket-definition.js";
import { Refusal } from "../refusal/refusal.js";
import { Answered } from "../request/header-steps.js";
import { Connection, type ConnectionOwner } from "./connection.js";
import { chosenProtocol, keptOffer, refusalOfHandshake, refusalOfOrigin } from "./handshake.js";

const UPGRADE = header("upgrade");
const CONNECTION = header("connection");
const KEY = header("sec-websocket-key");
const VERSION = header("sec-websocket-version");
const PROTOCOL = header("sec-websocket-protocol");
const EXTENSIONS = header("sec-websocket-extensions");

const FULL = new Refusal("OVERLOADED", {
  detail: "There are too many connections",
  headers: { "retry-after": "1" },
});

/** The route of a handshake. */
export interface HandshakeOwner extends ConnectionOwner {
  readonly definition: WebSocketDefinition;
  /** True if the connection limit is reached. */
  readonly isFull: boolean;
}

/** Keys of the Bus of `open` that runs of the connection read, in order. `needed` ones are required. */
export interface Kept {
  readonly kept: readonly AnyKey[];
  readonly needed: ReadonlySet<AnyKey>;
}

export function openingAxon(open: AxonDefinition, owner: HandshakeOwner, kept: Kept): AxonDefinition {
  const at = leadingGuards(open);
  const handshake = stepOf([], handshakeStep(owner), `Axon '${open.name}'`, openingAxon);
  const connect = stepOf([], connectStep(open, owner, kept), `Axon '${open.name}'`, openingAxon);
  return {
    ...open,
    // The output schema describes the connection's state, not a response.
    output: undefined,
    steps: [...open.steps.slice(0, at), handshake, ...open.steps.slice(at), connect],
    labels: new Map([...open.labels].map(([name, step]) => [name, step >= at ? step + 1 : step])),
  };
}

type AnyBus = BusView<AnyKey, AnyKey, AnyKey, AnyKey>;

function handshakeStep(owner: HandshakeOwner): AnyTransition {
  const { definition } = owner;
  const run = (_: unknown, bus: AnyBus): unknown => {
    const exchange: Exchange = bus.get(Answered);
    const protocol = bus.find(PROTOCOL);
    const refusal =
      refusalOfHandshake(
        {
          upgrade: bus.find(UPGRADE),
          connection: bus.find(CONNECTION),
          key: bus.find(KEY),
          version: bus.find(VERSION),
          protocol,
          extensions: bus.find(EXTENSIONS),
        },
        exchange,
      ) ??
      refusalOfOrigin(exchange.origin, bus.find(OwnOrigin), definition) ??
      (owner.isFull ? FULL : undefined);
    if (refusal !== undefined) return fault(refusal);
    const session: WebSocketSession = {
      connection_id: newRequestId(),
      path: exchange.path,
      query: exchange.query,
      protocol: chosenProtocol(definition, protocol),
      identity: bus.find(IamIdentity),
    };
    const connection = new Connection(session, exchange, owner);
    bus.set(WebSocketConnection, connection);
    exchange.own().opening = connection;
    return session;
  };
  return {
    name: "handshake",
    reads: [Answered],
    mayRead: [UPGRADE, CONNECTION, KEY, VERSION, PROTOCOL, EXTENSIONS, OwnOrigin, IamIdentity],
    writes: [WebSocketConnection],
    run,
  };
}

function connectStep(open: AxonDefinition, owner: HandshakeOwner, { kept, needed }: Kept): AnyTransition {
  const check = outputChecked(open, { generate: mayGenerateCode() });
  const run = (answer: unknown, bus: AnyBus): unknown => {
    // Sent instead of the upgrade.
    if (answer instanceof Reply || answer instanceof ProblemDetail) return answer;
    const state = check === undefined ? answer : check(answer);
    if (isFault(state)) return state;
    const exchange: Exchange = bus.get(Answered);
    const connection = bus.get(WebSocketConnection) as Connection;
    connection.admit(
      state,
      kept.map((key) => bus.find(key)),
    );
    const { kept: traced } = exchange.particulars;
    if (traced !== null) {
      const { traceId, spanId } = traced.context;
      connection.handshakeSpan = { traceId, spanId };
    }
    // A layer may still await a promise, or return another outcome.
    if (exchange.isOpen) exchange.whenAborted(() => connection.lost());
    else connection.lost();
    return handover(owner, connection, bus.get(KEY), bus.find(EXTENSIONS) ?? "");
  };
  return {
    name: "connect",
    reads: [Answered, WebSocketConnection, KEY, ...needed],
    mayRead: [EXTENSIONS, ...kept.filter((key) => !needed.has(key))],
    run,
  };
}

const handover = (owner: HandshakeOwner, connection: Connection, key: string, offered: string): SentAnswer =>
  new SentAnswer((exchange) => {
    if (owner.isFull) {
      connection.lost();
      sendRefusal(exchange, FULL);
      return;
    }
    const { upgrade } = exchange.particulars;
    if (upgrade === null) throw new Error("The engine has not asked for this upgrade");
    exchange.upgrade(exchange.heads.of(101, ""), {
      data: { connection },
      key,
      protocol: connection.session.protocol ?? "",
      extensions: owner.limits.deflate ? keptOffer(offered) : "",
      context: upgrade,
    });
  });
