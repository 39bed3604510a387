// Parses the hops of X-Forwarded-For and Forwarded (RFC 7239). Each proxy appends, so hops are parsed
// from the right, each without the text left of it: an open quote sent by a client hides no hop.

import { parseIp } from "#core/net/ip-address.js";

interface Hop {
  /** Undefined for `unknown`, `_hidden`, and malformed addresses. */
  readonly address: Uint8Array | undefined;
  /** "" if the hop has none. */
  readonly scheme: string;
}

export interface Forwarding {
  readonly name: ForwardedHeader;
  /** Index after the last comma, or 0. */
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

/** Index after the last comma outside of quotes. Quotes are counted from the right. */
function behindLastComma(text: string): number {
  let quoted = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"' && !isEscaped(text, at)) quoted = !quoted;
    else if (text[at] === "," && !quoted) return at + 1;
  }
  return 0;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}

// Unquoted ports and brackets are accepted, because some proxies write them.
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

/** Parses an address with or without a port. */
function addressOf(node: string): Uint8Array | undefined {
  const [, host = node] = BRACKETED.exec(node) ?? BEFORE_PORT.exec(node) ?? [];
  return parseIp(host);
}
