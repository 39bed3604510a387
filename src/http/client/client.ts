// Determines the client of a request: the socket's peer, or the client that trusted proxies name.
// Only the configured header is read, because a proxy forwards the others unchecked. The client is
// the right-most hop that is not a trusted proxy; hops left of it can be forged. If a trusted proxy
// names no address, the client is unknown: the proxy's address must not be used for it.

import { CidrSet } from "#core/net/cidr-set.js";
import { formatIp, unmapped } from "#core/net/ip-address.js";
import { joinedFields } from "../native/head-fields.js";
import type { NativeRequest } from "../native/port.js";
import type { Address } from "../refusal/address.js";
import { type ForwardedHeader, type Forwarding, forwardings } from "./forwarding.js";

type Scheme = "http" | "https";

export class Client {
  /** Undefined if unknown. */
  readonly address: Uint8Array | undefined;
  /** Scheme between the client and the first trusted proxy, or this server. */
  readonly scheme: Scheme;
  #ip: string | undefined = undefined;

  constructor(address: Uint8Array | undefined, scheme: Scheme) {
    this.address = address;
    this.scheme = scheme;
  }

  /** The address in canonical form, formatted once. */
  get ip(): string | undefined {
    if (this.address !== undefined) this.#ip ??= formatIp(this.address);
    return this.#ip;
  }
}

export interface ProxyRules {
  /** Addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[];
  readonly forwardedHeader: ForwardedHeader;
  /** "v2": connections of trusted proxies begin with a PROXY header. */
  readonly proxyProtocol: "off" | "v2";
}

/** Addresses of 4 or 16 bytes; empty on a socket file. */
export interface Link {
  peer(): Uint8Array;
  /** Source address of the PROXY header, which any client can send. */
  proxied(): Uint8Array;
}

/** Further hops are not read. */
const MAX_HOPS = 32;

export class ClientReader {
  readonly #trusted: CidrSet;
  readonly #forwarding: Forwarding;
  readonly readsProxied: boolean;
  readonly #isSocketFile: boolean;
  /** Scheme of this server's connections. */
  readonly #own: Scheme;

  /** `own` is "https" with TLS. Throws CONFIG_INVALID for an invalid range. */
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

  /** True if a trusted proxy sent no PROXY header. Call it in the handler, like `read`. */
  lacksProxied(link: Link): boolean {
    return this.readsProxied && link.proxied().length === 0 && this.#trusts(unmapped(link.peer()));
  }

  read(link: Link, request: NativeRequest): Client {
    let peer = unmapped(link.peer());
    // hole: a client could choose its own address
    if (this.readsProxied && this.#trusts(peer)) peer = unmapped(link.proxied());
    // hole: a client could choose its own address
    if (!this.#trusts(peer)) return new Client(peer, this.#own);
    const { name } = this.#forwarding;
    const [hops, proto = ""] = joinedFields(request, [name, "x-forwarded-proto"]);
    const address = peer.length === 0 ? undefined : peer;
    const client = hops === undefined ? { address, scheme: "" } : this.#walk(hops);
    const scheme = name === "forwarded" ? client.scheme : lastOf(proto);
    const named = scheme === "" ? this.#own : scheme;
    return new Client(client.address, named === "https" ? "https" : "http");
  }

  /** The client on the connection; undefined if that is a trusted proxy, which names the client in a header. */
  direct(link: Link): Client | undefined {
    const peer = unmapped(link.peer());
    return this.#trusts(peer) ? undefined : new Client(peer, this.#own);
  }

  /** Reads the peer's address only if trusted proxies are configured. */
  schemeOf(exchange: Link & { own(): { client: Client | null } }, request: NativeRequest): Scheme {
    if (this.#trusted.isEmpty && !this.#isSocketFile) return this.#own;
    const own = exchange.own();
    own.client ??= this.read(exchange, request);
    return own.client.scheme;
  }

  /** Peers on a socket file, which have no address, are trusted: the file's permissions decide. */
  #trusts(peer: Uint8Array): boolean {
    return peer.length === 0 || this.#trusted.has(peer);
  }

  /** The right-most hop that is not a trusted proxy, else the left-most hop. */
  #walk(hops: string): { readonly address: Uint8Array | undefined; readonly scheme: string } {
    const { lastElement, hopOf } = this.#forwarding;
    let rest = hops;
    for (let count = 1; ; count += 1) {
      const begin = lastElement(rest);
      const hop = hopOf(rest.slice(begin));
      const { address } = hop;
      // hole: an address in front of an untrusted hop would count
      if (address === undefined || begin === 0 || count === MAX_HOPS || !this.#trusted.has(address))
        return hop;
      rest = rest.slice(0, begin - 1);
    }
  }
}

const lastOf = (list: string): string =>
  list
    .slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();

/** An IPv4 address, or the /64 prefix of an IPv6 address, the smallest unit of one customer. All unknown clients share one identity. */
export function clientIdentity(client: Client): string {
  const { address } = client;
  if (address === undefined) return "unknown";
  if (address.length === 4) return client.ip as string;
  const network = new Uint8Array(16);
  network.set(address.subarray(0, 8));
  return `${formatIp(network)}/64`;
}

/** Identity of an authenticated client; differs from any address. */
export const verifiedIdentity = (name: string): string => `id:${name}`;

const DEFAULT_PORT = { http: /:80$/, https: /:443$/ } as const;

// Cached, because most clients of one server send the same Host.
let last = { scheme: "http", host: "", text: "http://" };

/** The server's origin (RFC 6454, section 4), without the default port. */
export function ownOrigin(scheme: Client["scheme"], host: string): string {
  if (last.host !== host || last.scheme !== scheme) {
    const text = `${scheme}://${host.toLowerCase().replace(DEFAULT_PORT[scheme], "")}`;
    last = { scheme, host, text };
  }
  return last.text;
}
