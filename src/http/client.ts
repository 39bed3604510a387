// Who sent a request. The socket's peer, unless that is a proxy that is trusted to name
// whom it speaks for.
//
//   CL1. What somebody says who is not trusted is never read: from the right, the first
//        hop that is no trusted proxy is the client, and what stands left of it is its own word.
//   CL2. One header is read, the one that is configured. A proxy that writes the one hands
//        on the other as it came: taking whichever is there would believe the client.
//   CL3. A trusted proxy that names no address leaves the client unknown. Its own address
//        must not stand for it: rules that let the proxies in would let everybody in.

import { CidrSet } from "#core/cidr-set.js";
import { formatIp, unmapped } from "#core/ip-address.js";
import type { Address } from "./address.js";
import { type ForwardedHeader, type Forwarding, forwardings } from "./forwarding.js";
import { joinedFields } from "./native/head-fields.js";
import type { NativeRequest } from "./native/port.js";

type Scheme = "http" | "https";

export class Client {
  /** Undefined where it is unknown. */
  readonly address: Uint8Array | undefined;
  /** How it reached the first proxy that is trusted, or this server. */
  readonly scheme: Scheme;
  #ip: string | undefined = undefined;

  constructor(address: Uint8Array | undefined, scheme: Scheme) {
    this.address = address;
    this.scheme = scheme;
  }

  /** Its canonical address; undefined where it is unknown. Several ask for it, and it takes time to write. */
  get ip(): string | undefined {
    if (this.address !== undefined) this.#ip ??= formatIp(this.address);
    return this.#ip;
  }
}

export interface ProxyRules {
  /** Who may say for whom a request is: addresses and ranges. */
  readonly trustedProxies: readonly string[];
  readonly forwardedHeader: ForwardedHeader;
  /** "v2": they begin each connection with a PROXY header, which is where they say it first. */
  readonly proxyProtocol: "off" | "v2";
}

/** The two ends that a connection may be said to have: 4 or 16 bytes each, none where there is no address. */
export interface Link {
  /** Who opened it. */
  peer(): Uint8Array;
  /** For whom, by its PROXY header. Anybody can send one. */
  proxied(): Uint8Array;
}

/** More proxies than stand in a row anywhere. What is left of them is not read. */
const MAX_HOPS = 32;

export class ClientReader {
  readonly #trusted: CidrSet;
  readonly #forwarding: Forwarding;
  /** Whether connections begin with a PROXY header. */
  readonly readsProxied: boolean;
  readonly #isSocketFile: boolean;
  /** How who opens a connection speaks. */
  readonly #own: Scheme;

  /** Throws CONFIG_INVALID for ranges that are none. `own`: "https" where this server speaks TLS. */
  constructor(
    { trustedProxies, forwardedHeader, proxyProtocol }: ProxyRules,
    { kind }: Pick<Address, "kind"> = { kind: "tcp" },
    own: Scheme = "http",
  ) {
    this.#own = own;
    this.#isSocketFile = kind === "unix";
    this.#trusted = new CidrSet(trustedProxies, "trustedProxies");
    this.#forwarding = forwardings[forwardedHeader];
    this.readsProxied = proxyProtocol === "v2";
  }

  /** Whether a trusted proxy has left out the PROXY header. To be called in the handler, as is `read`. */
  lacksProxied(link: Link): boolean {
    return this.readsProxied && link.proxied().length === 0 && this.#trusts(unmapped(link.peer()));
  }

  read(link: Link, request: NativeRequest): Client {
    let peer = unmapped(link.peer());
    if (this.readsProxied && this.#trusts(peer)) peer = unmapped(link.proxied());
    if (!this.#trusts(peer)) return new Client(peer, this.#own);
    const { name } = this.#forwarding;
    const [hops = "", proto = ""] = joinedFields(request, [name, "x-forwarded-proto"]);
    const address = peer.length === 0 ? undefined : peer;
    const client = hops === "" ? { address, scheme: "" } : this.#walk(hops);
    const scheme = name === "forwarded" ? client.scheme : lastOf(proto);
    // What says nothing of it was reached as this server was.
    const spoken = scheme === "" ? this.#own : scheme;
    return new Client(client.address, spoken === "https" ? "https" : "http");
  }

  /** How the client spoke. Asks for its address only where somebody could have said so. */
  schemeOf(exchange: Link & { own(): { client: Client | null } }, request: NativeRequest): Scheme {
    if (this.#trusted.isEmpty && !this.#isSocketFile) return this.#own;
    const own = exchange.own();
    own.client ??= this.read(exchange, request);
    return own.client.scheme;
  }

  /** A socket of the file system has no address: whoever may open it is trusted. */
  #trusts(peer: Uint8Array): boolean {
    return peer.length === 0 || this.#trusted.has(peer);
  }

  /** The right-most hop that is no trusted proxy, or the left-most of all (CL1). */
  #walk(hops: string): { readonly address: Uint8Array | undefined; readonly scheme: string } {
    const { lastElement, hopOf } = this.#forwarding;
    let rest = hops;
    for (let count = 1; ; count += 1) {
      const begin = lastElement(rest);
      const hop = hopOf(rest.slice(begin));
      const { address } = hop;
      if (address === undefined || begin === 0 || count === MAX_HOPS || !this.#trusted.has(address))
        return hop;
      rest = rest.slice(0, begin - 1);
    }
  }
}

/** What the nearest proxy wrote. */
const lastOf = (list: string): string =>
  list
    .slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();

/**
 * What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address,
 * which is what one customer gets at least. Those that are unknown count as one.
 */
export function clientIdentity(client: Client): string {
  const { address } = client;
  if (address === undefined) return "unknown";
  if (address.length === 4) return client.ip as string;
  const network = new Uint8Array(16);
  network.set(address.subarray(0, 8));
  return `${formatIp(network)}/64`;
}

/** The same of somebody who is verified. No address is written like it. */
export const verifiedIdentity = (name: string): string => `id:${name}`;
