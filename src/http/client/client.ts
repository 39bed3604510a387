// Who sent a request: the socket's peer, or what trusted proxies say. The configured header alone is
// read, as a proxy hands the others on unchecked. From the right, the first hop that is no trusted
// proxy is the client: what is left of it is its own word. A trusted proxy that names no address
// leaves the client unknown; its own address must not stand for it.

import { CidrSet } from "#core/net/cidr-set.js";
import { formatIp, unmapped } from "#core/net/ip-address.js";
import { joinedFields } from "../native/head-fields.js";
import type { NativeRequest } from "../native/port.js";
import type { Address } from "../refusal/address.js";
import { type ForwardedHeader, type Forwarding, forwardings } from "./forwarding.js";

type Scheme = "http" | "https";

export class Client {
  /** Undefined where unknown. */
  readonly address: Uint8Array | undefined;
  /** Between the client and the first trusted proxy, or this server. */
  readonly scheme: Scheme;
  #ip: string | undefined = undefined;

  constructor(address: Uint8Array | undefined, scheme: Scheme) {
    this.address = address;
    this.scheme = scheme;
  }

  /** In canonical form, made once. */
  get ip(): string | undefined {
    if (this.address !== undefined) this.#ip ??= formatIp(this.address);
    return this.#ip;
  }
}

export interface ProxyRules {
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[];
  readonly forwardedHeader: ForwardedHeader;
  /** "v2": their connections begin with a PROXY header. */
  readonly proxyProtocol: "off" | "v2";
}

/** 4 or 16 bytes each; none on a socket file. */
export interface Link {
  peer(): Uint8Array;
  /** Of the PROXY header, which anybody can send. */
  proxied(): Uint8Array;
}

/** Hops beyond it are not read. */
const MAX_HOPS = 32;

export class ClientReader {
  readonly #trusted: CidrSet;
  readonly #forwarding: Forwarding;
  readonly readsProxied: boolean;
  readonly #isSocketFile: boolean;
  /** The scheme of connections. */
  readonly #own: Scheme;

  /** Throws CONFIG_INVALID for invalid ranges. `own`: "https" with TLS. */
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
    const [hops, proto = ""] = joinedFields(request, [name, "x-forwarded-proto"]);
    const address = peer.length === 0 ? undefined : peer;
    const client = hops === undefined ? { address, scheme: "" } : this.#walk(hops);
    const scheme = name === "forwarded" ? client.scheme : lastOf(proto);
    // Without a word of the proxy.
    const spoken = scheme === "" ? this.#own : scheme;
    return new Client(client.address, spoken === "https" ? "https" : "http");
  }

  /** Reads the peer's address only where a proxy may be trusted. */
  schemeOf(exchange: Link & { own(): { client: Client | null } }, request: NativeRequest): Scheme {
    if (this.#trusted.isEmpty && !this.#isSocketFile) return this.#own;
    const own = exchange.own();
    own.client ??= this.read(exchange, request);
    return own.client.scheme;
  }

  /** A socket file has no address: its permissions decide. */
  #trusts(peer: Uint8Array): boolean {
    return peer.length === 0 || this.#trusted.has(peer);
  }

  /** The right-most hop that is no trusted proxy, or the left-most of all. */
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

const lastOf = (list: string): string =>
  list
    .slice(list.lastIndexOf(",") + 1)
    .trim()
    .toLowerCase();

/** An IPv4 address, or the first 64 bits of an IPv6 address, which one customer has at least. Unknown ones count as one. */
export function clientIdentity(client: Client): string {
  const { address } = client;
  if (address === undefined) return "unknown";
  if (address.length === 4) return client.ip as string;
  const network = new Uint8Array(16);
  network.set(address.subarray(0, 8));
  return `${formatIp(network)}/64`;
}

/** Differs from any address. */
export const verifiedIdentity = (name: string): string => `id:${name}`;

const DEFAULT_PORT = { http: /:80$/, https: /:443$/ } as const;

// Cached: clients of one server send one Host.
let last = { scheme: "http", host: "", text: "http://" };

/** The server's origin (RFC 6454, section 4), without the default port. */
export function ownOrigin(scheme: Client["scheme"], host: string): string {
  if (last.host !== host || last.scheme !== scheme) {
    const text = `${scheme}://${host.toLowerCase().replace(DEFAULT_PORT[scheme], "")}`;
    last = { scheme, host, text };
  }
  return last.text;
}
