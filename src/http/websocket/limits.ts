// How much a connection may hold and send. Checked where it is declared: the engine ends
// the process for an idle time that it cannot keep.

import { FrameworkError } from "#core/errors.js";
import { requireInteger } from "../required-integer.js";

/** What one connection of a route may hold, send and wait for. */
export interface WebSocketLimits {
  /** Largest message in bytes; one above it ends the connection. Default 65 536. */
  readonly maxMessageBytes?: number;
  /**
   * How long a peer may be silent, in seconds: 0 for ever, or 8 to 960. It is pinged before.
   * Default 120.
   */
  readonly idleTimeoutSecs?: number;
  /** What may wait for a peer that reads slowly, in bytes; more ends the connection. Default 1 MiB. */
  readonly maxBackpressureBytes?: number;
  /** Messages of one connection that are worked on at once. Default 1: one after another, in order. */
  readonly concurrency?: number;
  /** Messages that wait for those before them; one more ends the connection with 1008. Default 256. */
  readonly maxWaiting?: number;
  /** Topics that one connection may subscribe to. Default 128. */
  readonly maxTopics?: number;
  /** Connections of this route at once in this process; the next one is answered 503. Default: those of the ingress. */
  readonly maxConnections?: number;
  /** Whether messages are compressed where the peer offers it (RFC 7692). Default false: it costs memory and time. */
  readonly deflate?: boolean;
}

/** Their names, for {@link namesOf}. */
export const WEBSOCKET_LIMITS = {
  maxMessageBytes: true,
  idleTimeoutSecs: true,
  maxBackpressureBytes: true,
  concurrency: true,
  maxWaiting: true,
  maxTopics: true,
  maxConnections: true,
  deflate: true,
} as const;

export type WebSocketLimitPlan = Required<WebSocketLimits> & {
  /** What messages that wait may hold together, in bytes. */
  readonly maxWaitingBytes: number;
  /** Messages of this length are worth compressing. */
  readonly compressedFrom: number;
};

const MEBIBYTE = 1_048_576;

/** Shorter ones would hardly be any shorter. */
export const COMPRESSED_FROM = 256;

/** The limits with their defaults. Throws CONFIG_INVALID for one out of its range. */
export function webSocketLimits(where: string, options: WebSocketLimits): WebSocketLimitPlan {
  const of = (name: NumberOption, standard: number, min: number, max: number): number =>
    requireInteger(`${name} of ${where}`, options[name] ?? standard, min, max);
  const { deflate = false } = options;
  if (typeof deflate !== "boolean")
    throw new FrameworkError(
      "CONFIG_INVALID",
      `deflate of ${where} is ${String(deflate)}: use true or false`,
    );
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
  throw new FrameworkError(
    "CONFIG_INVALID",
    `idleTimeoutSecs of ${where} is ${seconds}: use a whole number of seconds from 8 to 960, or 0 for connections that may be silent for ever`,
  );
}
