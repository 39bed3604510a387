import type { AnyKey, BusKey } from "../bus/bus-key.js";

export interface AnswerRecord {
  readonly method: string;
  /** As it came, still percent-encoded, without the query. */
  readonly path: string;
  /** Behind the "?"; undefined where there is none. */
  readonly query: string | undefined;
  /** The pattern of the route, "/orders/:id"; undefined where none served it. */
  readonly route: string | undefined;
  /** 0 where the client went away before there was an answer. */
  readonly status: number;
  /** Of the problem document that was sent; undefined for any other response. */
  readonly code: string | undefined;
  /** Undefined where neither the response nor anything before it asked for one. */
  readonly requestId: string | undefined;
  /** Of the body, as far as it was handed over. */
  readonly bytes: number;
  /** From the first look at the request. */
  readonly durationMs: number;
  /** Whether the client went away before the answer was done. */
  readonly isAborted: boolean;
  /**
   * A fact of the request that the observer `reads`, or what the guard that it is of has
   * written under such a key; undefined where there is none. A trace is one that the caller
   * or a step has begun: none is begun for this.
   */
  readonly find: <T, Name extends string>(key: BusKey<T, Name>) => T | undefined;
}

/** Takes lines for the log of the ingress. */
export interface AccessLog {
  /** Whether lines of level info are written at all: asked for each answer. */
  readonly isEnabled: boolean;
  /**
   * Writes one line of level info. `members` is JSON as it stands between the braces,
   * beginning with a comma: `,"status":200`.
   */
  readonly write: (members: string, message: string) => void;
}

/** Told of the answers of what a guard stands before; of an ingress-level guard, of every answer. */
export interface AnswerObserver {
  /** Facts of the request to keep until then: each costs what fetching it costs. */
  readonly reads: readonly AnyKey[];
  /**
   * Whether it writes the answer's line in the log. Of several such before one route the
   * innermost guard's alone is told; where the log takes no lines, none is, and nothing
   * is kept for it.
   */
  readonly writesLine?: boolean;
  /** What it throws is reported and changes nothing. */
  readonly answered: (answer: AnswerRecord, log: AccessLog) => void;
}
