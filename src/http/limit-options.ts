import { FrameworkError } from "#core/errors.js";
import { MAX_ROUTE_TIMEOUT_MS } from "#core/guard.js";
import type { Address } from "./address.js";
import type { ProxyRules } from "./client.js";
import type { ForwardedHeader } from "./forwarding.js";
import type { GateRules } from "./native/gate.js";
import { requireInteger } from "./required-integer.js";

/** What an ingress takes from whom, and how much of it. */
export interface LimitOptions {
  /**
   * The proxies that are believed whom they speak for, as addresses and ranges: "10.0.0.0/8",
   * "::1". Default none: the client is who opened the connection.
   */
  readonly trustedProxies?: readonly string[];
  /** Where they say it. The other header is not read: a proxy hands it on as the client wrote it. Default "x-forwarded-for". */
  readonly forwardedHeader?: ForwardedHeader;
  /**
   * "v2": trusted proxies begin each connection with a PROXY header, and are answered 400
   * where they do not. Each answer then ends its connection. Default "off".
   */
  readonly proxyProtocol?: "off" | "v2";
  /**
   * The hosts that are served: "example.org", "*.example.org" for every name below it, with
   * a port where only that one is meant. Others are answered 421. Default: every host.
   */
  readonly allowedHosts?: readonly string[];
  /** Longest path with its query, in characters. Default 8192. */
  readonly targetLimitBytes?: number;
  /** Connections at once in this process; one that comes above it is closed. Default 10 000. */
  readonly maxConnections?: number;
  /**
   * Requests at once in this process: those whose body is arriving, whose run waits or whose
   * answer is being taken. The next one is answered 503 with Retry-After. Default 1024.
   */
  readonly maxInFlight?: number;
  /** Streams of events at once in this process, which are no requests at work. The next one is answered 503 with Retry-After. Default 10 000. */
  readonly maxEventStreams?: number;
  /**
   * How long a run may wait before it is answered 504 and aborted, in milliseconds, where its
   * route does not say otherwise. Exact to half a second. Default 30 000.
   */
  readonly routeTimeoutMs?: number;
  /** Longest head of a request in bytes, one for the whole process. Default 16 384. */
  readonly headLimitBytes?: number;
}

/** Their names, for {@link namesOf}. */
export const LIMITS = {
  trustedProxies: true,
  forwardedHeader: true,
  proxyProtocol: true,
  allowedHosts: true,
  targetLimitBytes: true,
  maxConnections: true,
  maxInFlight: true,
  maxEventStreams: true,
  routeTimeoutMs: true,
  headLimitBytes: true,
} as const;

export interface LimitPlan extends ProxyRules, GateRules {
  /** Undefined: what the process has. */
  readonly headLimit: number | undefined;
  readonly maxConnections: number;
  readonly maxInFlight: number;
  readonly maxEventStreams: number;
  readonly routeTimeoutMs: number;
}

/** The limits with their defaults. Throws CONFIG_INVALID for one out of its range. */
export function limitsOf(options: LimitOptions): LimitPlan {
  const { headLimitBytes, targetLimitBytes = 8192, maxConnections = 10_000, maxInFlight = 1024 } = options;
  const { routeTimeoutMs = 30_000 } = options;
  return {
    trustedProxies: options.trustedProxies ?? [],
    forwardedHeader: requireOneOf("forwardedHeader", options.forwardedHeader, [
      "x-forwarded-for",
      "forwarded",
    ]),
    routeTimeoutMs: requireInteger("routeTimeoutMs", routeTimeoutMs, 1, MAX_ROUTE_TIMEOUT_MS),
    maxConnections: requireInteger("maxConnections", maxConnections, 1, 1_000_000),
    maxInFlight: requireInteger("maxInFlight", maxInFlight, 1, 1_000_000),
    maxEventStreams: requireInteger("maxEventStreams", options.maxEventStreams ?? 10_000, 0, 1_000_000),
    proxyProtocol: requireOneOf("proxyProtocol", options.proxyProtocol, ["off", "v2"]),
    allowedHosts: options.allowedHosts ?? [],
    targetLimit: requireInteger("targetLimitBytes", targetLimitBytes, 64, 1_048_576),
    headLimit:
      headLimitBytes === undefined
        ? undefined
        : requireInteger("headLimitBytes", headLimitBytes, 1024, 1_048_576),
  };
}

/** Throws CONFIG_INVALID where PROXY headers are asked for and nobody would be believed. */
export function requireProxies({
  proxyProtocol,
  trustedProxies,
  address,
}: LimitPlan & { readonly address: Address }): void {
  // Whoever may open a socket of the file system is trusted.
  if (proxyProtocol === "off" || trustedProxies.length > 0 || address.kind === "unix") return;
  throw new FrameworkError(
    "CONFIG_INVALID",
    `proxyProtocol is "${proxyProtocol}" and trustedProxies is empty: name the proxies that send the header`,
  );
}

/** The value, or the first of those that it may be. Throws CONFIG_INVALID for another. */
export function requireOneOf<T extends string>(
  name: string,
  value: T | undefined,
  known: readonly [T, ...T[]],
): T {
  if (value === undefined) return known[0];
  if (known.includes(value)) return value;
  throw new FrameworkError(
    "CONFIG_INVALID",
    `${name} is '${value}': use ${known.map((each) => `"${each}"`).join(" or ")}`,
  );
}
