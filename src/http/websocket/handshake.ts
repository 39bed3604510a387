// Checks a handshake (RFC 6455, section 4.2.1). The engine checks little of it.

import { isToken } from "#core/wire/header-syntax.js";
import type { Exchange } from "../exchange/exchange.js";
import type { WebSocketDefinition } from "../plan/web-socket-definition.js";
import { Refusal } from "../refusal/refusal.js";

/** Header values, undefined if absent. Repeated lines are joined. */
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

// The 22nd character has four spare bits.
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

// RFC 9110, section 7.8.
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+)?$/;

// RFC 6455, section 9.1.
const EXTENSION =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*;[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*=[ \t]*(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"))?)*$/;

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
  // A proxy could read frames as a body.
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

/** Checks the Origin: browsers send cookies from any page and apply no CORS to WebSocket. */
export function refusalOfOrigin(
  origin: string,
  own: string | undefined,
  { origins }: Pick<WebSocketDefinition, "origins">,
): Refusal | undefined {
  // hole: a page of another site could connect with the user's cookies
  return origin === "" || origin === own || origins.allows(origin) ? undefined : ORIGIN_REFUSED;
}

export function chosenProtocol(
  { protocols }: Pick<WebSocketDefinition, "protocols">,
  offered: string | undefined,
): string | undefined {
  if (protocols.length === 0 || offered === undefined) return undefined;
  const names = listed(offered);
  return protocols.find((name) => names.includes(name));
}

/** The items of a list without empty ones (RFC 9110, section 5.6.1). These lists have no quoted commas. */
const listed = (list: string): readonly string[] =>
  list
    .split(",")
    .map((item) => item.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((item) => item !== "");

const names = (list: readonly string[], wanted: string): boolean =>
  list.some((name) => name.toLowerCase() === wanted);

const DEFLATE = "permessage-deflate";

/** Parameter values that fit the engine's compression (RFC 7692, section 7.1): each message separately, with a window of 15 bits. */
const PARAMETERS: ReadonlyMap<string, (value: string | undefined) => boolean> = new Map([
  ["server_no_context_takeover", (value) => value === undefined],
  ["client_no_context_takeover", (value) => value === undefined],
  // A client with a smaller window could not decompress the frames.
  ["server_max_window_bits", (value) => value === "15"],
  ["client_max_window_bits", (value) => value === undefined || /^(?:[89]|1[0-5])$/.test(value)],
]);

/** The offer that the engine should accept. It would accept any offer. */
export const keptOffer = (extensions: string): string => (extensions.split(",").some(isKept) ? DEFLATE : "");

function isKept(offer: string): boolean {
  const [name, ...parameters] = offer.split(";").map((part) => part.trim());
  const seen = new Set<string>();
  return (
    name === DEFLATE &&
    parameters.every((parameter) => {
      const [key = "", value] = parameter.split("=").map((part) => part.trim());
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst && PARAMETERS.get(key)?.(value?.replace(/^"(.*)"$/, "$1")) === true;
    })
  );
}
