import type { BusView } from "#core/bus/bus.js";
import type { Fault } from "#core/bus/outcome.js";
import { connectionOf, type WebSocketConnection, type WebSocketSession } from "#core/facts/web-socket.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { Axon } from "#runtime/axon/axon.js";
import { compileSchema } from "#schema/compile/validator.js";
import { FeedRequest } from "../api/events.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { roleOf } from "../door/bearer-auth.js";
import { type Door, FEED_PROTOCOL } from "../door/door.js";
import { type Feed, MAX_CLIENTS } from "./feed.js";
import type { FeedClient } from "./feed-client.js";

/** Messages of a client that may not be understood before it is closed. */
const MAX_MISTAKES = 20;
/** A pointer may have names that the client sent. */
const MAX_PROBLEM_CHARS = 2000;

interface State {
  client: FeedClient | undefined;
}

const FULL = inspectorFault("FEED_FULL", { headers: { "retry-after": "30" } });

const Wire = connectionOf<State>();
type OpenBus = BusView<typeof IamIdentity | typeof Wire>;

const { check, errors } = compileSchema(FeedRequest, { owner: "A message to the feed", origin: "json" });

export const FEED_PATH = "/api/v1/events";

/** The feed as a WebSocket route: the options of `ws`. */
export function feedFlow(feed: Feed, door: Door, allowedOrigins: readonly string[]) {
  const open = Axon.start<WebSocketSession>("feed open").thenFn(
    "join",
    (_, bus: OpenBus): State | Fault<InspectorFault> => {
      const role = roleOf(bus.get(IamIdentity));
      return feed.hasRoomFor(role) ? { client: feed.join(bus.get(Wire), role) } : FULL;
    },
    { reads: [IamIdentity, Wire] },
  );
  const message = Axon.start<string | Uint8Array>("feed message").thenFn(
    "take",
    (given, bus: BusView<typeof Wire>) => answered(feed, bus.get(Wire), given),
    { reads: [Wire] },
  );
  const close = Axon.start("feed close").thenFn(
    "leave",
    (_, bus: BusView<typeof Wire>) => {
      const { client } = bus.get(Wire).state;
      if (client !== undefined) feed.leave(client);
    },
    { reads: [Wire] },
  );
  return {
    open,
    message,
    close,
    guards: door.feedGuards,
    without: door.openTo.anybody,
    allowedOrigins,
    protocols: [FEED_PROTOCOL],
    maxConnections: MAX_CLIENTS,
    maxMessageBytes: 65_536,
    maxTopics: 0,
    summary: "The live feed, a WebSocket; 426 without an upgrade",
  };
}

/** Undefined, or the response to a message that was not understood. */
function answered(feed: Feed, connection: WebSocketConnection<State>, given: string | Uint8Array): unknown {
  const { client } = connection.state;
  if (client === undefined) return undefined;
  if (typeof given !== "string") {
    connection.close(1003, "The feed takes text alone");
    return undefined;
  }
  const problem = problemOf(given, (request) => feed.request(client, request));
  if (problem === undefined) return undefined;
  client.mistakes += 1;
  if (client.mistakes > MAX_MISTAKES) connection.close(1008, "Too many messages were not understood");
  return { type: "error", title: "The message was not understood", detail: problem };
}

function problemOf(text: string, take: (request: FeedRequest) => void): string | undefined {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return "It is no JSON";
  }
  if (check(request)) {
    take(request as FeedRequest);
    return undefined;
  }
  return errors(request)
    .slice(0, 3)
    .map(({ pointer, expected }) => `${pointer === "" ? "It" : pointer}: ${expected}`)
    .join("; ")
    .slice(0, MAX_PROBLEM_CHARS);
}
