import { MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import type { ProxyRules } from "../client/client.js";
import type { ForwardedHeader } from "../client/forwarding.js";
import type { DiscardLimits } from "../exchange/discarding.js";
import type { GateRules } from "../native/gate.js";
import type { Address } from "../refusal/address.js";
import { configInvalid, requireInteger } from "../refusal/option-checks.js";

export interface LimitOptions {
  /** Addresses and ranges of proxies that may name the client: "10.0.0.0/8", "::1". Default none. */
  readonly trustedProxies?: readonly string[];
  /** The header in which proxies name the client. The other one is not read, because a proxy forwards it unchecked. Default "x-forwarded-for". */
  readonly forwardedHeader?: ForwardedHeader;
  /**
   * "v2": trusted proxies must start each connection with a PROXY header (else 400), and each
   * response closes its connection. Default "off".
   */
  readonly proxyProtocol?: "off" | "v2";
  /**
   * Hosts to serve: "example.org", "*.example.org" for subdomains, with or without a port. Others
   * get 421. Default: every host.
   */
  readonly allowedHosts?: readonly string[];
  /** Longest path with its query, in characters. Default 8192. */
  readonly targetLimitBytes?: number;
  /** Connections in this process; further ones are closed. Default 10 000. */
  readonly maxConnections?: number;
  /**
   * Requests in flight in this process: receiving the body, awaiting the run or sending the response.
   * Further ones get 503 with Retry-After. Default 1024.
   */
  readonly maxInFlight?: number;
  /**
   * Bytes of request bodies that are in memory in this process, from their head to the end of their
   * run. A further body gets 503 with Retry-After before it is read. Default: about a quarter
   * of the memory that the process may use.
   */
  readonly maxBodyBytesInFlight?: number;
  /** Streams of events in this process, which do not count as in flight. Further ones get 503 with Retry-After. Default 10 000. */
  readonly maxEventStreams?: number;
  /** Milliseconds until a run is aborted and 504 is sent, by default for all routes. Exact to half a second. Default 30 000. */
  readonly routeTimeoutMs?: number;
  /**
   * Bytes of an unwanted body to discard before a response that closes the connection, such as 413:
   * closed at once, the client could lose the response. Larger bodies are not read. Default 8 MiB.
   */
  readonly discardLimitBytes?: number;
  /** Milliseconds that discarding may take, at most 9000. Default 5000. */
  readonly discardTimeoutMs?: number;
  /** Longest head of a request in bytes, one limit for the whole process. Default 16 384. */
  readonly headLimitBytes?: number;
}

export const LIMITS = [
  "trustedProxies forwardedHeader proxyProtocol allowedHosts targetLimitBytes headLimitBytes",
  "maxConnections maxInFlight maxBodyBytesInFlight maxEventStreams routeTimeoutMs discardLimitBytes discardTimeoutMs",
] as const;

export interface LimitPlan extends ProxyRules, GateRules, DiscardLimits {
  /** If undefined, the limit of the process. */
  readonly headLimit: number | undefined;
  readonly maxConnections: number;
  readonly maxInFlight: number;
  /** Undefined for the default. */
  readonly maxBodyBytesInFlight: number | undefined;
  readonly maxEventStreams: number;
  readonly routeTimeoutMs: number;
}

/** Throws CONFIG_INVALID. */
export function limitsOf(options: LimitOptions): LimitPlan {
  const { headLimitBytes, targetLimitBytes = 8192, maxConnections = 10_000, maxInFlight = 1024 } = options;
  const { maxBodyBytesInFlight } = options;
  const { routeTimeoutMs = 30_000, discardLimitBytes = 8_388_608, discardTimeoutMs = 5000 } = options;
  return {
    trustedProxies: options.trustedProxies ?? [],
    forwardedHeader: requireOneOf("forwardedHeader", options.forwardedHeader, [
      "x-forwarded-for",
      "forwarded",
    ]),
    routeTimeoutMs: requireInteger("routeTimeoutMs", routeTimeoutMs, 1, MAX_ROUTE_TIMEOUT_MS),
    maxConnections: requireInteger("maxConnections", maxConnections, 1, 1_000_000),
    maxInFlight: requireInteger("maxInFlight", maxInFlight, 1, 1_000_000),
    maxBodyBytesInFlight:
      maxBodyBytesInFlight === undefined
        ? undefined
        : requireInteger("maxBodyBytesInFlight", maxBodyBytesInFlight, 1, MAX_BODY_LIMIT),
    maxEventStreams: requireInteger("maxEventStreams", options.maxEventStreams ?? 10_000, 0, 1_000_000),
    discardLimit: requireInteger("discardLimitBytes", discardLimitBytes, 0, 2_147_483_647),
    // The engine cuts a connection after ten seconds.
    discardTimeoutMs: requireInteger("discardTimeoutMs", discardTimeoutMs, 1, 9000),
    proxyProtocol: requireOneOf("proxyProtocol", options.proxyProtocol, ["off", "v2"]),
    allowedHosts: options.allowedHosts ?? [],
    targetLimit: requireInteger("targetLimitBytes", targetLimitBytes, 64, 1_048_576),
    headLimit:
      headLimitBytes === undefined
        ? undefined
        : requireInteger("headLimitBytes", headLimitBytes, 1024, 1_048_576),
  };
}

/** Throws CONFIG_INVALID for PROXY headers without trusted proxies. */
export function requireProxies({
  proxyProtocol,
  trustedProxies,
  address,
}: LimitPlan & { readonly address: Address }): void {
  // A socket file is trusted.
  if (proxyProtocol === "off" || trustedProxies.length > 0 || address.kind === "unix") return;
  throw configInvalid(
    `proxyProtocol is "${proxyProtocol}" and trustedProxies is empty: name the proxies that send the header`,
  );
}

/** Default: the first. Throws CONFIG_INVALID. */
export function requireOneOf<T extends string>(
  name: string,
  value: T | undefined,
  known: readonly [T, ...T[]],
): T {
  if (value === undefined) return known[0];
  if (known.includes(value)) return value;
  throw configInvalid(`${name} is '${value}': use ${known.map((each) => `"${each}"`).join(" or ")}`);
}
