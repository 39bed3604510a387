import type { AnyKey, BusKey } from "../bus/bus-key.js";

export interface AnswerRecord {
  readonly method: string;
  /** As received: percent-encoded, without the query. */
  readonly path: string;
  /** The query after the "?"; undefined without one. */
  readonly query: string | undefined;
  /** Pattern of the route, "/orders/:id"; undefined if no route matched. */
  readonly route: string | undefined;
  /** 0 if the client disconnected before the response. */
  readonly status: number;
  /** Code of the failure in the log, or of the problem document; undefined for any other response. */
  readonly code: string | undefined;
  /** Undefined if neither the response nor an earlier step needed one. */
  readonly requestId: string | undefined;
  /** Bytes of the body that were handed over. */
  readonly bytes: number;
  /** From the arrival of the request. */
  readonly durationMs: number;
  /** True if the client disconnected before the end of the response. */
  readonly isAborted: boolean;
  /**
   * A fact of the request that the observer `reads`, or a value that its guard has written under
   * such a key; undefined if there is none. A trace is returned only if the caller or a step has
   * begun one: none is begun for this.
   */
  readonly find: <T, Name extends string>(key: BusKey<T, Name>) => T | undefined;
}

/** A response as it is counted. To be read during the call alone. */
export type CountedAnswer = Omit<AnswerRecord, "query" | "find">;

/** Called for each response. An error that it throws is reported and changes nothing. */
export type CountAnswer = (answer: CountedAnswer) => void;

/** Writes lines to the log of the ingress. */
export interface AccessLog {
  /** True if lines of level info are written. Read for each response. */
  readonly isEnabled: boolean;
  /**
   * Writes one line of level info. `members` is the JSON text between the braces, beginning with
   * a comma: `,"status":200`.
   */
  readonly write: (members: string, message: string) => void;
}

/** Observes the responses of the routes behind a guard. On a guard of the ingress: all responses. */
export interface AnswerObserver {
  /** Facts of the request to retain: each has the cost of fetching it. */
  readonly reads: readonly AnyKey[];
  /**
   * True if it writes the log line of the response. Of several such observers of one route only
   * the innermost guard's is called. If the log takes no lines, none is called, and nothing is
   * retained for it.
   */
  readonly writesLine?: boolean;
  /** An error that it throws is reported and changes nothing. */
  readonly answered: (answer: AnswerRecord, log: AccessLog) => void;
}
