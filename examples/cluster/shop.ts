// A shop on three machines: nothing here knows of them. What its hosts share is in the stores of the
// ingress, which guards, sessions, rooms and channels take from it.

import {
  Axon,
  EventChannel,
  Framework,
  type IamIdentity,
  ProblemDetail,
  Session,
  type Stores,
  Type,
  type WebSocketConnection,
  type WebSocketSession,
} from "framework";
import {
  CreateSession,
  CsrfGuard,
  DestroySession,
  IdempotencyGuard,
  LoadSession,
  RateLimitGuard,
  Sessions,
  ValidateSession,
} from "framework/std";

import { firstOrder, HostKey, order } from "./order.js";

const DAY_MS = 86_400_000;

const Login = Type.Object({ name: Type.String({ minLength: 1, maxLength: 40 }) });
const Level = Type.Object({ sku: Type.String({ maxLength: 40 }), pieces: Type.Integer({ minimum: 0 }) });
const Message = Type.Object({ text: Type.String({ maxLength: 500 }) });
const SOLD_OUT = { status: 409, code: "SOLD_OUT", title: "There are not so many" } as const;

export interface ShopOptions {
  readonly stores: Stores;
  readonly release?: string;
  /** Cookies without TLS: on one machine, never in production. */
  readonly insecureCookie?: boolean;
  readonly leaseMs?: number;
}

export function shop({ stores, release = "2", insecureCookie = false, leaseMs = 10_000 }: ShopOptions) {
  const sessions = new Sessions({ insecureCookie });
  const levels = new EventChannel({ name: "levels", schema: Level });

  const host = Axon.start("host").thenFn("name", { uses: { host: HostKey } }, (_, bus) => ({
    host: bus.host.name,
    release: bus.host.release,
    pid: process.pid,
  }));
  const price = Axon.start("price").thenFn("price", () => ({ cents: 4200 }));

  // Names are claimed, not verified: examples/sessions has passwords.
  const login = Axon.start("login", Login)
    .then(
      new CreateSession<typeof Login.static>(sessions, {
        identityOf: ({ name }): IamIdentity => ({ subject: name, roles: [], claims: {} }),
      }),
    )
    .thenFn("greet", ({ name }) => ({ welcome: name }));
  const whoami = Axon.start("whoami").thenFn("show", { uses: { session: Session } }, (_, bus) => ({
    name: bus.session.identity.subject,
  }));
  const logoutEverywhere = Axon.start("logout-everywhere")
    .then(new DestroySession(sessions, { everywhere: true }))
    .withOutputSchema(Type.Void());

  const count = Axon.start("count", Level).thenFn("publish", (level) => {
    levels.publish({ event: "level", topic: level.sku, data: level });
    return level;
  });
  const watch = Axon.start("levels").thenFn("watch", () => levels.subscribe());

  return Framework.http({ resources: [HostKey] })
    .stores(stores, { leaseMs })
    .channels(levels)
    .readinessLivenessDefault()
    .get("/host", host)
    .get("/price", price, { guards: [new RateLimitGuard(1000, DAY_MS, { name: "prices" })] })
    .post("/login", login)
    .group("/me", { guards: [new CsrfGuard(), new LoadSession(sessions), new ValidateSession()] }, (me) =>
      me.get("/", whoami).post("/logout-everywhere", logoutEverywhere),
    )
    .post("/orders", release === "1" ? firstOrder : order, {
      guards: [new IdempotencyGuard({ required: true })],
      responses: [SOLD_OUT],
      onFault: () => new ProblemDetail(SOLD_OUT),
    })
    .runStatus("/orders/:run_id")
    .post("/levels", count)
    .sse("/levels", watch)
    .ws("/room", { open: enter, message: say, schema: Message });
}

/** The room of the query. */
function enter({ query }: WebSocketSession, connection: WebSocketConnection): string {
  const room = new URLSearchParams(query).get("name") ?? "hall";
  connection.subscribe(room);
  return room;
}

/** To the room, and to its sender, who sees by it that it was taken. */
function say(message: typeof Message.static, connection: WebSocketConnection<string>) {
  connection.publish(connection.state, message);
  return message;
}
