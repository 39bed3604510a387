// Subprotocols that a handshake of WebSocket offers (RFC 6455, section 4.1). A browser can
// send no other header of its own there, so credentials are offered as if they were one:
// `bearer.<token>`, `ticket.<id>`, `access_token, <token>`.
//
//   OP1. Shown is what is plainly a protocol's name: words, versions, what a server calls
//        itself. Of an offer that is not, what stands behind the last dot before the first
//        word that is none is masked, to its end.
//   OP2. What stands behind a word that says secret is masked, whatever it looks like: the rest
//        of its offer, and where there is none the next offer.

import { REDACTED } from "#core/secret.js";
import { isSensitiveName } from "#core/sensitive-names.js";

const HEADER = /sec[\W_]?web[\W_]?socket[\W_]?protocols?\W*$/i;
const SHORTEST = "SecWebSocketProtocol".length;

/** Whether what is called so is the list that a handshake offers: the header, or a key of the Bus. */
export const offersProtocols = (name: string): boolean => name.length >= SHORTEST && HEADER.test(name);

/** What a longer list has is masked unread. */
const MAX_OFFERS = 64;

/** A word or a version. What is made at random has digits between letters, capitals behind small ones, or is longer. */
const WORD = /^(?:[A-Z]?[a-z]{1,16}\d{0,2}|[A-Z]{1,12}\d{0,2}|\d{1,4}|base64url|k8s)$/;
const BEGINS = /^[A-Za-z]/;
const BETWEEN_WORDS = /[-_+]/;

/** Of a subprotocol's last word, beside the names that say so anywhere. */
const SAYS_SECRET = /(?:^|[-_+])(?:ticket|basic)$/i;

export interface OfferedProtocols {
  /** The list as it may be shown. */
  readonly shown: string;
  /** What is masked in it, also as a server that knows its own protocol reads it. */
  readonly secrets: readonly string[];
}

export function offeredProtocols(list: string): OfferedProtocols {
  const secrets: string[] = [];
  const shown: string[] = [];
  let isDue = false;
  for (const offer of list.split(",", MAX_OFFERS).map((one) => one.trim())) {
    const at: number | undefined = isDue ? 0 : secretIn(offer);
    // One that ends where its secret would begin has it in the next that there is.
    isDue = at !== undefined && at >= offer.length;
    if (at === undefined || isDue) {
      shown.push(offer);
      continue;
    }
    shown.push(offer.slice(0, at) + REDACTED);
    secrets.push(...readingsOf(offer.slice(at)));
  }
  const unread = list.split(",").slice(MAX_OFFERS).join(",").trim();
  if (unread !== "") {
    shown.push(REDACTED);
    secrets.push(unread);
  }
  return { shown: shown.join(", "), secrets };
}

/** What has more is no protocol's name: each word is looked at together with those before it. */
const MAX_WORDS = 16;

/** Where it begins: at the end of an offer that only announces it. Undefined for a protocol's name. */
function secretIn(offer: string): number | undefined {
  if (offer === "") return undefined;
  if (!BEGINS.test(offer)) return 0;
  let begins = 0;
  let words = 0;
  for (const part of offer.split(".")) {
    let end = begins;
    for (const word of part.split(BETWEEN_WORDS)) {
      words += 1;
      if (words > MAX_WORDS || !WORD.test(word)) return begins;
      end += word.length;
      const name = offer.slice(begins, end);
      if (isSensitiveName(name) || SAYS_SECRET.test(name)) return end + 1;
      end += 1;
    }
    begins = end;
  }
  return undefined;
}

const MAX_READINGS = 8;

/** A secret as it came, without the words before it, and as it is encoded in what has only characters of a token. */
function* readingsOf(secret: string): Iterable<string> {
  let rest = secret;
  for (let readings = 0; readings < MAX_READINGS; readings += 1) {
    yield rest;
    yield* decodings(rest);
    const dot = rest.indexOf(".");
    if (dot < 0) return;
    rest = rest.slice(dot + 1);
  }
}

const BASE64 = /^[\w+/-]{8,}=*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what has them was no text
const NO_TEXT = /[\u0000-\u001f\u007f\ufffd]/;

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
