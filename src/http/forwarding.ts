// The hops of X-Forwarded-For and Forwarded (RFC 7239), read from the right: each proxy
// adds what it saw behind what it was sent, so that the left is whatever the client wrote.
//
//   FW1. A hop is read without looking at anything left of it: no quote that a client
//       leaves open can swallow what a proxy wrote behind it.

import { parseIp } from "#core/ip-address.js";

interface Hop {
  /** Undefined where the hop names no address: `unknown`, `_hidden`, nothing, or what cannot be read. */
  readonly address: Uint8Array | undefined;
  /** How the request reached whoever wrote the hop; "" where it does not say. */
  readonly scheme: string;
}

/** How one of the two headers is written. */
export interface Forwarding {
  readonly name: ForwardedHeader;
  /** Where the last element of `text` begins: behind its last comma, or 0. */
  readonly lastElement: (text: string) => number;
  readonly hopOf: (element: string) => Hop;
}

export type ForwardedHeader = "x-forwarded-for" | "forwarded";

const UNKNOWN: Hop = { address: undefined, scheme: "" };

export const forwardings: Readonly<Record<ForwardedHeader, Forwarding>> = {
  "x-forwarded-for": {
    name: "x-forwarded-for",
    lastElement: (text) => text.lastIndexOf(",") + 1,
    hopOf: (element) => ({ address: addressOf(element.trim()), scheme: "" }),
  },
  forwarded: {
    name: "forwarded",
    lastElement: behindLastComma,
    hopOf: forwardedHop,
  },
};

/** The last comma outside quotes, which are counted from the right (FW1). */
function behindLastComma(text: string): number {
  let quoted = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"' && !isEscaped(text, at)) quoted = !quoted;
    else if (text[at] === "," && !quoted) return at + 1;
  }
  return 0;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

// A token, to which an unquoted port and bracket are added: some proxies write them so.
const PAIR =
  /^[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=([!#$%&'*+\-.^_`|~0-9A-Za-z:[\]]+|"(?:[^"\\]|\\.)*")[ \t]*(?:;|$)/;

function forwardedHop(element: string): Hop {
  const pairs = new Map<string, string>();
  for (let rest = element; rest !== ""; ) {
    const [whole, name = "", value = ""] = PAIR.exec(rest) ?? [];
    const key = name.toLowerCase();
    if (whole === undefined || pairs.has(key)) return UNKNOWN;
    pairs.set(key, value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, "$1") : value);
    rest = rest.slice(whole.length);
  }
  return { address: addressOf(pairs.get("for") ?? ""), scheme: pairs.get("proto")?.toLowerCase() ?? "" };
}

const PORT = String.raw`(?::(?:\d{1,5}|_[\w.-]+))?`;
const BRACKETED = new RegExp(`^\\[([^\\]]+)\\]${PORT}$`);
const BEFORE_PORT = new RegExp(`^([^:]+)${PORT}$`);

/** An address, with a port or without. */
function addressOf(node: string): Uint8Array | undefined {
  const [, host = node] = BRACKETED.exec(node) ?? BEFORE_PORT.exec(node) ?? [];
  return parseIp(host);
}
