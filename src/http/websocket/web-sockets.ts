// All WebSocket routes of an ingress, as the engine sees them: one behaviour for each set of
// limits that the engine keeps, and the handlers that it calls.

import type { IngressPlan } from "../ingress-plan.js";
import type { NativeApp, NativeServer, NativeWebSocket, NativeWebSocketBehavior } from "../native/port.js";
import type { Connection } from "./connection.js";
import type { ConnectionCircuit } from "./connection-circuit.js";
import type { WebSocketLimitPlan } from "./limits.js";
import { IngressRooms } from "./rooms.js";
import type { WebSocketRoute } from "./web-socket-route.js";

/** The limits that the engine itself keeps. */
export type EngineLimits = Pick<
  WebSocketLimitPlan,
  "maxMessageBytes" | "idleTimeoutSecs" | "maxBackpressureBytes" | "deflate"
>;

export class WebSockets {
  readonly rooms: IngressRooms;
  /** Those that are open. */
  readonly live = new Set<Connection>();
  /** Whether none is opened any more. */
  isClosing = false;
  readonly #routes: WebSocketRoute[] = [];
  readonly #limits: EngineLimits[] = [];

  constructor({ rooms, reporter }: Pick<IngressPlan, "rooms" | "reporter">) {
    this.rooms = new IngressRooms(rooms, reporter);
  }

  add(route: WebSocketRoute): void {
    this.#routes.push(route);
    if (!this.#limits.some((limits) => areAlike(limits, route.limits))) this.#limits.push(route.limits);
  }

  /** For each of the engine's behaviours its limits. */
  get behaviours(): readonly EngineLimits[] {
    return this.#limits;
  }

  /** How many runs of connections wait for a promise. */
  get running(): number {
    return this.circuits.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get circuits(): readonly ConnectionCircuit[] {
    return this.#routes.flatMap(({ circuits }) => circuits);
  }

  /** Which behaviour a route's connections have. */
  behaviourOf({ limits }: WebSocketRoute): number {
    return this.#limits.findIndex((known) => areAlike(known, limits));
  }

  /** Ends all of them, and opens no more. */
  close(code: number, reason: string): void {
    this.isClosing = true;
    for (const connection of [...this.live]) connection.close(code, reason);
  }

  /** What the engine calls of an app's connections; `ended` is told of the end of each. */
  handlers(
    app: Pick<NativeApp, "publish">,
    ended: () => void,
  ): Pick<NativeWebSocketBehavior, "open" | "message" | "close"> {
    const { rooms } = this;
    rooms.join(app);
    return {
      open: (socket) => {
        rooms.settle(socket, app);
        connectionOf(socket).opened(socket);
      },
      message: (socket, message, isBinary) => connectionOf(socket).receive(message, isBinary),
      close: (socket, code, reason) => {
        ended();
        connectionOf(socket).closed(code, Buffer.from(reason).toString());
      },
    };
  }
}

const connectionOf = (socket: NativeWebSocket): Connection => socket.connection as Connection;

const areAlike = (a: EngineLimits, b: EngineLimits): boolean =>
  a.maxMessageBytes === b.maxMessageBytes &&
  a.idleTimeoutSecs === b.idleTimeoutSecs &&
  a.maxBackpressureBytes === b.maxBackpressureBytes &&
  a.deflate === b.deflate;

/** A behaviour without what the ingress does with requests. */
export const engineOptions = (
  limits: EngineLimits,
  { SHARED_COMPRESSOR }: Pick<NativeServer, "SHARED_COMPRESSOR">,
) => ({
  maxPayloadLength: limits.maxMessageBytes,
  idleTimeout: limits.idleTimeoutSecs,
  sendPingsAutomatically: true,
  maxBackpressure: limits.maxBackpressureBytes,
  closeOnBackpressureLimit: true,
  compression: limits.deflate ? SHARED_COMPRESSOR : 0,
});
