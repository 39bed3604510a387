// Whether a request may become a connection of WebSocket (RFC 6455, section 4.2.1). The engine
// checks little of it, and asks only where the key has 24 characters.

import { isToken } from "#core/header-syntax.js";
import type { Exchange } from "../native/exchange.js";
import { Refusal } from "../refusal.js";
import type { WebSocketDefinition } from "./flow.js";

/** The headers of a handshake; undefined for one that is absent, lines of one name joined. */
export interface HandshakeHeaders {
  readonly upgrade: string | undefined;
  readonly connection: string | undefined;
  readonly key: string | undefined;
  readonly version: string | undefined;
  readonly protocol: string | undefined;
  readonly extensions: string | undefined;
}

const UPGRADE = { upgrade: "websocket", connection: "Upgrade" };
const invalid = (detail: string): Refusal => new Refusal("HANDSHAKE_INVALID", { detail });

const NO_UPGRADE = new Refusal("UPGRADE_REQUIRED", {
  detail: "The request does not ask for an upgrade to websocket",
  headers: UPGRADE,
});
const OTHER_VERSION = new Refusal("UPGRADE_REQUIRED", {
  detail: "Sec-WebSocket-Version is not 13",
  headers: { ...UPGRADE, "sec-websocket-version": "13" },
});
const UPGRADE_MALFORMED = invalid("Upgrade is malformed");
const NO_OPTION = invalid("Connection does not name 'upgrade'");
const HAS_BODY = invalid("A handshake has no body");
const KEY_MALFORMED = invalid("Sec-WebSocket-Key is not one key of 16 bytes in base64");
const PROTOCOL_MALFORMED = invalid("Sec-WebSocket-Protocol is not a list of different names");
const EXTENSIONS_MALFORMED = invalid("Sec-WebSocket-Extensions is malformed");
const ORIGIN_REFUSED = new Refusal("ORIGIN_REFUSED");

// 16 bytes are 22 characters, of which the last has four bits to spare.
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

// RFC 9110, section 7.8: a name, and where there is a slash a version behind it.
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+)?$/;

// RFC 6455, section 9.1. What is quoted has to be a token when it is unquoted.
const EXTENSION =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*;[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*=[ \t]*(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"))?)*$/;

/** Why the handshake is refused; undefined where it is well-formed. */
export function refusalOfHandshake(
  headers: HandshakeHeaders,
  { bodyLength }: Pick<Exchange, "bodyLength">,
): Refusal | undefined {
  if (headers.upgrade === undefined) return NO_UPGRADE;
  const wanted = listed(headers.upgrade);
  if (!wanted.every((name) => PROTOCOL.test(name))) return UPGRADE_MALFORMED;
  if (!names(wanted, "websocket")) return NO_UPGRADE;
  const options = listed(headers.connection ?? "");
  if (!options.every(isToken) || !names(options, "upgrade")) return NO_OPTION;
  // What stands behind the head would be frames to one reader and a body to another.
  if (bodyLength !== 0) return HAS_BODY;
  if (headers.version !== "13") return OTHER_VERSION;
  if (!KEY.test(headers.key ?? "")) return KEY_MALFORMED;
  const protocols = listed(headers.protocol ?? "");
  if (!protocols.every(isToken) || new Set(protocols).size < protocols.length) return PROTOCOL_MALFORMED;
  if (headers.protocol !== undefined && protocols.length === 0) return PROTOCOL_MALFORMED;
  return listed(headers.extensions ?? "").every((each) => EXTENSION.test(each))
    ? undefined
    : EXTENSIONS_MALFORMED;
}

/**
 * Why a page may not connect; undefined where it may, and where no page asks. Browsers send
 * cookies along whatever the page, and apply no CORS to WebSocket: nothing else keeps others out.
 */
export function refusalOfOrigin(
  origin: string,
  own: string | undefined,
  { origins }: Pick<WebSocketDefinition, "origins">,
): Refusal | undefined {
  return origin === "" || origin === own || origins.allows(origin) ? undefined : ORIGIN_REFUSED;
}

/** The first of the route's subprotocols that the client offers; undefined for none. */
export function chosenProtocol(
  { protocols }: Pick<WebSocketDefinition, "protocols">,
  offered: string | undefined,
): string | undefined {
  if (protocols.length === 0 || offered === undefined) return undefined;
  const names = listed(offered);
  return protocols.find((name) => names.includes(name));
}

/** The items of a list, without empty ones (RFC 9110, section 5.6.1). None of ours has quoted commas. */
const listed = (list: string): readonly string[] =>
  list
    .split(",")
    .map((item) => item.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((item) => item !== "");

const names = (list: readonly string[], wanted: string): boolean =>
  list.some((name) => name.toLowerCase() === wanted);
