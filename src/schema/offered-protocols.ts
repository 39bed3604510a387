// Subprotocols that a handshake of WebSocket offers (RFC 6455, section 4.1). A browser can
// send no other header of its own there, so credentials are offered as if they were one:
// `bearer.<token>`, `ticket.<id>`, `access_token, <token>`.
//
//   OP1. Shown is what a route of this process declares as its subprotocol, as it is. No text
//        says by itself that it is no secret, so any other offer is masked whole.

import { interned } from "#core/interned.js";
import { REDACTED } from "#core/secret.js";

const HEADER = /sec[\W_]?web[\W_]?socket[\W_]?protocols?\W*$/i;
const SHORTEST = "SecWebSocketProtocol".length;

/** Whether what is called so is the list that a handshake offers: the header, or a key of the Bus. */
export const offersProtocols = (name: string): boolean => name.length >= SHORTEST && HEADER.test(name);

const declared = interned("DeclaredProtocols", () => new Set<string>());

/** From here on they are shown, for as long as the process lives: a program's routes name them. */
export function declareProtocols(names: Iterable<string>): void {
  for (const name of names) declared.add(name);
}

/** What a longer list has is masked unread. */
const MAX_OFFERS = 64;

export interface OfferedProtocols {
  /** The list as it may be shown. */
  readonly shown: string;
  /** What is masked in it, also as a server that knows its own protocol reads it: the likeliest first. */
  readonly secrets: readonly string[];
}

export function offeredProtocols(list: string): OfferedProtocols {
  const offers = list.split(",", MAX_OFFERS).map((one) => one.trim());
  const shown = offers.map((offer) => (isShown(offer) ? offer : REDACTED));
  const readings = offers.filter((offer) => !isShown(offer)).map((offer) => [...readingsOf(offer)]);
  const unread = list.split(",").slice(MAX_OFFERS).join(",").trim();
  if (unread !== "") {
    shown.push(REDACTED);
    readings.push([[unread]]);
  }
  return { shown: shown.join(", "), secrets: inTurns(readings) };
}

const isShown = (offer: string): boolean => offer === "" || offer === REDACTED || declared.has(offer);

const MAX_READINGS = 8;
const SEPARATORS = /[.\-_+]/g;

/** A secret as it came, behind its last dot, and behind each of what may part it from words before it. */
function* readingsOf(offer: string): Iterable<readonly string[]> {
  const behind = [...offer.matchAll(SEPARATORS)].map(({ index }) => index + 1);
  const starts = new Set([0, offer.lastIndexOf(".") + 1, ...behind]);
  for (const at of [...starts].slice(0, MAX_READINGS)) {
    const rest = offer.slice(at);
    yield [rest, ...decodings(rest)];
  }
}

/** Of all the first ones, then of all the second: who keeps some of them has those of each offer. */
const inTurns = (all: readonly (readonly (readonly string[])[])[]): readonly string[] =>
  Array.from({ length: MAX_READINGS }, (_, turn) => all.flatMap((readings) => readings[turn] ?? [])).flat();

const BASE64 = /^[\w+/-]{8,}=*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what has them was no text
const NO_TEXT = /[\u0000-\u001f\u007f\ufffd]/;

/** As it is encoded in what has only characters of a token. */
function* decodings(text: string): Iterable<string> {
  if (BASE64.test(text)) {
    const read = Buffer.from(text, "base64url").toString("utf8");
    // Who has a name has it before a colon, as credentials of the scheme Basic.
    if (read !== "" && !NO_TEXT.test(read)) yield* [read, read.slice(read.indexOf(":") + 1)];
  }
  try {
    const read = decodeURIComponent(text);
    if (read !== text) yield read;
  } catch {
    // It is not percent-encoded.
  }
}
