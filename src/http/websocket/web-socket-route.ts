// One mounted WebSocket route: what opens its connections, what their messages run, what
// their end runs.
//
//   WR1. What runs at the end of a connection is begun after the run of a message in which it
//        ended, if that answers at once; where its runs wait they are aborted first.

import { keysOf } from "#runtime/used-keys.js";
import type { CircuitContext } from "../circuit-context.js";
import type { ConnectionSupply } from "../ingress-supply.js";
import type { RouteDefinition } from "../route-definition.js";
import { describeRoute } from "../route-definition.js";
import type { Connection } from "./connection.js";
import type { WebSocketDefinition } from "./flow.js";
import { CloseCircuit, MessageCircuit } from "./message-circuit.js";
import { messageReader } from "./message-input.js";
import { type OpeningOwner, openingAxon } from "./opening.js";
import type { IngressRooms } from "./rooms.js";
import type { WebSockets } from "./web-sockets.js";

export class WebSocketRoute implements OpeningOwner {
  readonly definition: WebSocketDefinition;
  /** The route of its handshake. */
  readonly opening: RouteDefinition;
  /** Those that run what happens on its connections. */
  readonly circuits: readonly (MessageCircuit | CloseCircuit)[];
  readonly #sockets: WebSockets;
  readonly #messages: MessageCircuit;
  readonly #close: CloseCircuit | undefined;
  #count = 0;

  /** Throws what makes one of its Axons impossible to run. */
  constructor(
    route: RouteDefinition,
    definition: WebSocketDefinition,
    sockets: WebSockets,
    context: CircuitContext,
  ) {
    const { message, close, schema = message.input, limits } = definition;
    const { supply } = context;
    this.definition = definition;
    this.#sockets = sockets;
    const timeoutMs = route.timeoutMs ?? context.routeTimeoutMs;
    const all = [...keysOf(message), ...(close === undefined ? [] : keysOf(close))];
    const given: ConnectionSupply = supply.forConnection(all);
    const shared = { route: route.pattern.text, supply: given, timeoutMs };
    this.#messages = new MessageCircuit(
      { ...shared, axon: message, inputChecked: schema === message.input },
      messageReader(schema, describeRoute(route)),
      limits,
      context,
    );
    this.#close = close && new CloseCircuit({ ...shared, axon: close, inputChecked: false }, context);
    this.circuits = this.#close === undefined ? [this.#messages] : [this.#messages, this.#close];
    const needed = new Set([
      ...this.#messages.needed(message, given),
      ...(this.#close === undefined || close === undefined ? [] : this.#close.needed(close, given)),
    ]);
    const { kept } = given;
    this.opening = {
      ...route,
      axon: openingAxon(route.axon, this, { kept, needed }, context.production),
    };
  }

  get limits(): WebSocketDefinition["limits"] {
    return this.definition.limits;
  }

  get rooms(): IngressRooms {
    return this.#sockets.rooms;
  }

  get isFull(): boolean {
    return this.#sockets.isClosing || this.#count >= this.limits.maxConnections;
  }

  opened(connection: Connection): void {
    this.#count += 1;
    this.#sockets.live.add(connection);
  }

  /** The engine hands over a message. Never throws: the engine would end the process. */
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    try {
      this.#messages.receive(connection, message, isBinary);
    } catch (error) {
      this.#messages.failed(connection, error);
    }
  }

  closed(connection: Connection, code: number, reason: string, wasOpen: boolean): void {
    if (wasOpen) {
      this.#count -= 1;
      this.#sockets.live.delete(connection);
    }
    connection.turns?.end();
    const close = this.#close;
    if (close !== undefined) this.#messages.behind(connection, () => close.begin(connection, code, reason));
  }
}
