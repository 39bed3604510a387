// Checked at declaration: the engine ends the process for an invalid idle time.

import { configInvalid } from "../refusal/invalid.js";
import { requireInteger } from "../refusal/required-integer.js";

export interface WebSocketLimits {
  /** Largest message in bytes; a larger one ends the connection. Default 65 536. */
  readonly maxMessageBytes?: number;
  /** How long a peer may be silent, in seconds: 0 for ever, or 8 to 960. It is pinged before. Default 120. */
  readonly idleTimeoutSecs?: number;
  /** Bytes that may wait for a slow peer; more ends the connection. Default 1 MiB. */
  readonly maxBackpressureBytes?: number;
  /** Messages of one connection that run at once. Default 1: one after another, in order. */
  readonly concurrency?: number;
  /** Messages that wait for a turn; one more ends the connection with 1008. Default 256. */
  readonly maxWaiting?: number;
  /** Topics per connection. Default 128. */
  readonly maxTopics?: number;
  /** Connections of this route in this process; more are answered 503. Default: as many as the ingress takes. */
  readonly maxConnections?: number;
  /** Whether messages are compressed where the peer offers it (RFC 7692), at a cost of memory and time. Default false. */
  readonly deflate?: boolean;
}

export const WEBSOCKET_LIMITS =
  "maxMessageBytes idleTimeoutSecs maxBackpressureBytes concurrency maxWaiting maxTopics maxConnections deflate";

export type WebSocketLimitPlan = Required<WebSocketLimits> & {
  /** Bytes of waiting messages together. */
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
