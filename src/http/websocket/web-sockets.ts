// The WebSocket routes of an ingress: one behaviour of the engine per set of limits.

import { keysOf } from "#runtime/check/used-keys.js";
import type { Deadlines } from "../native/deadlines.js";
import type {
  NativeApp,
  NativeRequest,
  NativeResponse,
  NativeServer,
  NativeUpgrade,
  NativeWebSocket,
  NativeWebSocketBehavior,
} from "../native/port.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import type { WebSocketDefinition } from "../plan/web-socket-definition.js";
import type { WebSocketLimitPlan } from "../plan/web-socket-limits.js";
import { until } from "../refusal/timeout.js";
import type { CircuitContext } from "../request/circuit-context.js";
import type { ConnectionSupply } from "../request/ingress-supply.js";
import type { RouteKind } from "../request/route-kind.js";
import type { Connection } from "./connection.js";
import type { ConnectionCircuit } from "./connection-circuit.js";
import { ENDING_MS } from "./ending.js";
import { CloseCircuit, MessageCircuit, messageReader } from "./message-circuit.js";
import { type HandshakeOwner, openingAxon } from "./opening.js";
import { IngressRooms } from "./rooms.js";

export type EngineLimits = Pick<
  WebSocketLimitPlan,
  "maxMessageBytes" | "idleTimeoutSecs" | "maxBackpressureBytes" | "deflate"
>;

/** The engine's reason, with code 1006, for a close frame with an invalid code or reason. */
const UNKNOWN_CLOSE_FRAME = "Received invalid close payload";

export type WebSocketHandlers = Pick<NativeWebSocketBehavior, "open" | "message" | "drain" | "close">;

export class WebSockets implements RouteKind {
  readonly rooms: IngressRooms;
  readonly live = new Set<Connection>();
  isClosing = false;
  readonly #routes: WebSocketRoute[] = [];
  /** Limits by index of the behaviour. */
  readonly behaviours: EngineLimits[] = [];

  constructor({ rooms, reporter }: Pick<IngressPlan, "rooms" | "reporter">) {
    this.rooms = new IngressRooms(rooms, reporter);
  }

  /** The route of the handshake of a WebSocket route. */
  mounted(route: RouteDefinition, context: CircuitContext): RouteDefinition | undefined {
    if (route.webSocket === undefined) return undefined;
    const made = new WebSocketRoute(route, route.webSocket, this, context);
    const { limits } = made;
    this.#routes.push(made);
    if (!this.behaviours.some((known) => areAlike(known, limits))) this.behaviours.push(limits);
    const behaviour = this.behaviours.findIndex((known) => areAlike(known, limits));
    return { ...made.opening, behaviour };
  }

  /** Number of runs awaiting a promise. */
  get running(): number {
    return this.circuits.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get circuits(): readonly ConnectionCircuit[] {
    return this.#routes.flatMap(({ circuits }) => circuits);
  }

  close(code: number, reason: string): void {
    this.isClosing = true;
    for (const connection of [...this.live]) connection.finishMessages(() => connection.close(code, reason));
  }

  /** Waits until each peer has read the sent frames, or until `endsAt`. */
  async over(endsAt: number): Promise<void> {
    await until(() => this.live.size === 0, Math.min(endsAt, performance.now() + ENDING_MS));
  }

  handlers(app: Pick<NativeApp, "publish">, ended: () => void): WebSocketHandlers {
    const { rooms } = this;
    rooms.join(app);
    return {
      open: (socket) => {
        rooms.settle(socket, app);
        connectionOf(socket).opened(socket);
      },
      message: (socket, message, isBinary) => connectionOf(socket).receive(message, isBinary),
      drain: (socket) => connectionOf(socket).drained(),
      close: (socket, code, reason) =>
        connectionOf(socket).closed(code, Buffer.from(reason).toString(), ended),
    };
  }
}

const connectionOf = (socket: NativeWebSocket): Connection => socket.connection as Connection;

const areAlike = (a: EngineLimits, b: EngineLimits): boolean =>
  a.maxMessageBytes === b.maxMessageBytes &&
  a.idleTimeoutSecs === b.idleTimeoutSecs &&
  a.maxBackpressureBytes === b.maxBackpressureBytes &&
  a.deflate === b.deflate;

const engineOptions = (
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

export interface AttachedEngine {
  readonly server: Pick<NativeServer, "SHARED_COMPRESSOR">;
  /** Called at each end, which the app's filter does not report, after the last running message. */
  readonly ended: () => void;
}

/** The routing of handshakes. */
interface Upgrades {
  /** True if a GET of the path is a handshake of this behaviour. */
  readonly upgradesBy: (behaviour: number, path: string) => boolean;
  readonly handle: (
    response: NativeResponse,
    request: NativeRequest,
    method: string,
    requestId: string,
    upgrade: NativeUpgrade,
  ) => void;
}

/** The engine matches undecoded paths. So each behaviour matches every path, and yields paths that the router assigns to another. */
export function attachWebSockets(
  app: NativeApp,
  webSockets: WebSockets,
  { upgradesBy, handle }: Upgrades,
  { server, ended }: AttachedEngine,
): void {
  const { behaviours } = webSockets;
  if (behaviours.length === 0) return;
  const handlers = webSockets.handlers(app, ended);
  for (const [i, limits] of behaviours.entries()) {
    const upgrade: NativeWebSocketBehavior["upgrade"] = (response, request, context) => {
      if (!upgradesBy(i, request.getUrl())) request.setYield(true);
      else handle(response, request, "GET", "", context);
    };
    app.ws(`/*${i}`, { ...engineOptions(limits, server), ...handlers, upgrade });
  }
}

export class WebSocketRoute implements HandshakeOwner {
  readonly definition: WebSocketDefinition;
  readonly opening: RouteDefinition;
  readonly circuits: readonly (MessageCircuit | CloseCircuit)[];
  readonly #sockets: WebSockets;
  readonly #messages: MessageCircuit;
  readonly #close: CloseCircuit | undefined;
  readonly endings: Deadlines;
  #count = 0;

  constructor(
    route: RouteDefinition,
    definition: WebSocketDefinition,
    sockets: WebSockets,
    context: CircuitContext,
  ) {
    const { message, close, schema = message.input, limits } = definition;
    const { supply } = context;
    this.definition = definition;
    this.endings = context.deadlines.of(ENDING_MS);
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
      axon: openingAxon(route.axon, this, { kept, needed }),
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

  /** Never throws: the engine would exit the process. */
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    try {
      this.#messages.receive(connection, message, isBinary);
    } catch (error) {
      this.#messages.failed(connection, error);
    }
  }

  closed(connection: Connection, code: number, reason: string, ended: (() => void) | null): void {
    this.#sockets.live.delete(connection);
    if (code === 1006 && reason !== UNKNOWN_CLOSE_FRAME) connection.abortMessages();
    connection.finishMessages(() => {
      // Not earlier: its messages take memory, which the connection limit bounds.
      if (ended !== null) {
        this.#count -= 1;
        ended();
      }
      this.#messages.behind(connection, () => {
        const { unfinished } = connection;
        this.#close?.begin(connection, { code, reason, ...(unfinished > 0 && { unfinished }) });
      });
    });
  }
}
