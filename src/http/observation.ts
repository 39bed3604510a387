// One request whose answer somebody is told of. Made where a guard or an extension observes
// or a run is traced, and nowhere else.

// The global one is made ready anew at each look at it.
import { Buffer } from "node:buffer";

import type { AccessLog, AnswerObserver, AnswerRecord } from "#core/answer-observer.js";
import type { AnyKey, BusKey } from "#core/bus-key.js";
import { monotonicMs } from "#core/clock.js";
import type { Reporter } from "#core/reporter.js";
import type { AnswerListener } from "#runtime/run-origin.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Exchange } from "./native/exchange.js";
import { reportIds } from "./report-ids.js";

/** What the observations of one ingress share. */
export interface ObservationContext {
  readonly log: { readonly access: AccessLog };
  readonly reporter: Reporter;
  /** Told of every answer of the ingress, behind those of its guards. */
  readonly observers: readonly AnswerObserver[];
}

/** Where the request got to: who is told there, and what is known of it. */
export interface Observed {
  readonly observers: readonly AnswerObserver[];
  /** How the facts of the request are read. */
  readonly facts: ReadonlyMap<AnyKey, (exchange: Exchange) => unknown>;
  /** The pattern of its route; undefined where none serves it. */
  readonly route: string | undefined;
}

export class Observation {
  #observed: Observed;
  readonly #context: ObservationContext;
  readonly #startedAt = monotonicMs();
  #status = 0;
  #bytes = 0;
  #isOver = false;
  /** What guards have written for their observers: a key, then its value. They are few. */
  #kept: unknown[] | null = null;
  /** The traced run that answers it. */
  #listener: AnswerListener | null = null;
  /** What the request leaves of its trace. */
  #trace: RequestTrace | null = null;

  constructor(observed: Observed, context: ObservationContext) {
    this.#observed = observed;
    this.#context = context;
  }

  /** A route serves it. */
  reach(observed: Observed): void {
    this.#observed = observed;
  }

  /** A run that is traced wants to know. */
  follow(listener: AnswerListener): void {
    this.#listener = listener;
  }

  /** Its trace is kept. */
  keepTrace(trace: RequestTrace | null): void {
    this.#trace = trace;
  }

  /** A guard has written what its observer reads. */
  keep(key: AnyKey, value: unknown): void {
    if (this.#kept === null) this.#kept = [key, value];
    else this.#kept.push(key, value);
  }

  /** What was written last. */
  #written(key: unknown): unknown {
    const kept = this.#kept;
    if (kept === null) return undefined;
    for (let at = kept.length - 2; at >= 0; at -= 2) if (kept[at] === key) return kept[at + 1];
    return undefined;
  }

  /** Its answer is handed over. */
  begin(status: number, body: string | Uint8Array | null): void {
    this.#status = status;
    this.#bytes = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
  }

  /** So much of the body was taken so far, of one that is handed over in pieces. */
  handed(bytes: number): void {
    this.#bytes = bytes;
  }

  /** It is over: its answer was taken, or its client has gone away. */
  end(exchange: Exchange, isAborted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const durationMs = monotonicMs() - this.#startedAt;
    const bytes = exchange.method === "HEAD" ? 0 : this.#bytes;
    if (this.#observed.observers.length + this.#context.observers.length > 0)
      this.#tell(exchange, bytes, durationMs, isAborted);
    this.#trace?.end({
      path: exchange.path,
      route: this.#observed.route,
      status: this.#status,
      clientAddress: exchange.particulars.client?.ip,
    });
    this.#listener?.answered({ status: this.#status, bytes, duration_us: Math.round(durationMs * 1000) });
  }

  #tell(exchange: Exchange, bytes: number, durationMs: number, isAborted: boolean): void {
    const { observers, facts, route } = this.#observed;
    const { log, observers: all } = this.#context;
    const answer: AnswerRecord = {
      method: exchange.method,
      path: exchange.path,
      query: exchange.query,
      route,
      status: this.#status,
      bytes,
      durationMs,
      isAborted,
      find: <T, Name extends string>(key: BusKey<T, Name>) =>
        (this.#written(key) ?? facts.get(key as unknown as AnyKey)?.(exchange)) as T | undefined,
    };
    for (const observer of observers) this.#hand(observer, answer, log.access, exchange);
    for (const observer of all) this.#hand(observer, answer, log.access, exchange);
  }

  #hand(observer: AnswerObserver, answer: AnswerRecord, log: AccessLog, exchange: Exchange): void {
    try {
      observer.answered(answer, log);
    } catch (error) {
      const message = "What is told of an answer threw";
      this.#context.reporter({ code: "OBSERVER_FAILED", message, error, ...reportIds(exchange) });
    }
  }
}
