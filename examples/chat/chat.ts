// Rooms to talk in: messages over WebSocket, who is there over server-sent events, and the
// page that shows both. Names are claimed, not verified: examples/sessions has logins.

import { fileURLToPath } from "node:url";

import {
  Axon,
  EventChannel,
  Framework,
  Type,
  type WebSocketClose,
  type WebSocketConnection,
  type WebSocketSession,
} from "framework";
import { SecurityHeadersGuard } from "framework/std";

import { Room, type Said } from "./room.js";

const ROOMS = ["harbour", "lighthouse", "boatyard"];
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,23}$/u;
/** Of our own, as the page knows them. RFC 6455, section 7.4.2. */
const NAME_REFUSED = 4001;
const NAME_TAKEN = 4002;

const Message = Type.Object({ text: Type.String({ minLength: 1, maxLength: 500 }) });
const Presence = Type.Object({ room: Type.String(), people: Type.Array(Type.String()) });

/** Who speaks, and where: the state of a connection. */
interface Seat {
  readonly room: Room;
  readonly name: string;
}

export interface Files {
  readonly cert: string;
  readonly key: string;
}

/** The chat; over TLS where it is given a certificate. */
export function chat(files?: Files, now: () => number = Date.now) {
  const rooms = new Map(ROOMS.map((name) => [name, new Room(name)]));
  const presence = new EventChannel({ name: "presence", schema: Presence });
  const present = ({ name: room, people }: Room) => ({
    event: "people",
    topic: room,
    data: { room, people: [...people] },
  });

  const open = (session: WebSocketSession, connection: WebSocketConnection): Seat | undefined => {
    const asked = new URLSearchParams(session.query);
    const room = rooms.get(asked.get("room") ?? "");
    const name = (asked.get("name") ?? "").trim();
    if (room === undefined || !NAME.test(name)) {
      connection.close(NAME_REFUSED, "That is no name, or no room");
      return undefined;
    }
    if (!room.enter(name)) {
      connection.close(NAME_TAKEN, "Somebody of that name is there already");
      return undefined;
    }
    connection.subscribe(room.name);
    for (const said of room.said) connection.send(said);
    presence.publish(present(room));
    return { room, name };
  };

  const message = (
    { text }: { readonly text: string },
    connection: WebSocketConnection<Seat | undefined>,
  ) => {
    if (connection.state === undefined) return undefined;
    const { room, name } = connection.state;
    const said: Said = { kind: "said", from: name, text, at: now() };
    room.remember(said);
    connection.publish(room.name, said);
    // To whoever said it too: that is how the page knows that it arrived.
    return said;
  };

  const close = (_: WebSocketClose, { state }: WebSocketConnection<Seat | undefined>): void => {
    if (state === undefined) return;
    state.room.leave(state.name);
    presence.publish(present(state.room));
  };

  const watch = Axon.start("presence").thenFn("watch", () =>
    presence.subscribe({ first: () => [...rooms.values()].map(present) }),
  );

  const ingress = Framework.http()
    .guard(new SecurityHeadersGuard())
    .ws("/talk", { open, message, close, schema: Message, maxMessageBytes: 4096 })
    .sse("/presence", watch)
    .serveDir("/", fileURLToPath(new URL("public", import.meta.url)), { cacheControl: "no-cache" });
  return files === undefined ? ingress : ingress.tls(files.cert, files.key);
}
