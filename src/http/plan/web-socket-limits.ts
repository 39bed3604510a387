// Limits of WebSocket routes, validated at declaration: the engine exits the process for an invalid
// idle time-out.

import { configInvalid, requireInteger } from "../refusal/option-checks.js";

export interface WebSocketLimits {
  /** Largest message in bytes; a larger one closes the connection. Default 65 536. */
  readonly maxMessageBytes?: number;
  /** Idle time-out in seconds: 0 for none, or 8 to 960. The peer is pinged before. Default 120. */
  readonly idleTimeoutSecs?: number;
  /** Bytes that may be buffered for a slow peer; more close the connection. Default 1 MiB. */
  readonly maxBackpressureBytes?: number;
  /** Messages of one connection that run concurrently. Default 1: sequentially, in order. */
  readonly concurrency?: number;
  /** Messages that may wait; one more closes the connection with 1008. Default 256. */
  readonly maxWaiting?: number;
  /** Topics per connection. Default 128. */
  readonly maxTopics?: number;
  /** Connections of this route in this process; further ones get 503. Default: the limit of the ingress. */
  readonly maxConnections?: number;
  /** Compresses messages if the peer offers it (RFC 7692), at a cost of memory and time. Default false. */
  readonly deflate?: boolean;
}

export const WEBSOCKET_LIMITS =
  "maxMessageBytes idleTimeoutSecs maxBackpressureBytes concurrency maxWaiting maxTopics maxConnections deflate";

export type WebSocketLimitPlan = Required<WebSocketLimits> & {
  /** Total bytes of waiting messages. */
  readonly maxWaitingBytes: number;
  /** Smallest length to compress, in bytes. */
  readonly compressedFrom: number;
};

const MEBIBYTE = 1_048_576;

export const COMPRESSED_FROM = 256;

/** Throws CONFIG_INVALID. */
export function webSocketLimits(where: string, options: WebSocketLimits): WebSocketLimitPlan {
  const of = (name: NumberOption, standard: number, min: number, max: number): number =>
    requireInteger(`${name} of ${where}`, options[name] ?? standard, min, max);
  const { deflate = false } = options;
  if (typeof deflate !== "boolean")
    throw configInvalid(`deflate of ${where} is ${String(deflate)}: use true or false`);
  const maxMessageBytes = of("maxMessageBytes", 65_536, 1, 64 * MEBIBYTE);
  return {
    maxMessageBytes,
    idleTimeoutSecs: idleTimeout(where, options.idleTimeoutSecs),
    maxBackpressureBytes: of("maxBackpressureBytes", MEBIBYTE, 1024, 256 * MEBIBYTE),
    concurrency: of("concurrency", 1, 1, 256),
    maxWaiting: of("maxWaiting", 256, 0, 65_536),
    maxTopics: of("maxTopics", 128, 0, 65_536),
    maxConnections: of("maxConnections", 1_000_000, 1, 1_000_000),
    deflate,
    compressedFrom: deflate ? COMPRESSED_FROM : Number.POSITIVE_INFINITY,
    maxWaitingBytes: Math.max(MEBIBYTE, 16 * maxMessageBytes),
  };
}

type NumberOption = Exclude<keyof WebSocketLimits, "deflate">;

function idleTimeout(where: string, seconds = 120): number {
  if (seconds === 0 || (Number.isSafeInteger(seconds) && seconds >= 8 && seconds <= 960)) return seconds;
  throw configInvalid(
    `idleTimeoutSecs of ${where} is ${seconds}: use a whole number of seconds from 8 to 960, or 0 for connections that may be silent for ever`,
  );
}
