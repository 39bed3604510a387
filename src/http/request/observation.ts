// A request with observers of its response. Created only if a guard or an extension observes the
// response, or its run is traced.

// The import is cheaper: the global Buffer is an accessor.
import { Buffer } from "node:buffer";
import type { AnyKey, BusKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { monotonicMs } from "#core/clock.js";
import type { AccessLog, AnswerObserver, AnswerRecord } from "#core/ports/answer-observer.js";
import type { RunAnswer } from "#core/timeline/recorder.js";
import type { AnswerListener } from "#runtime/trace/tracing.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { Exchange } from "../exchange/exchange.js";
import type { ResponseObserver } from "../exchange/particulars.js";

export interface ObservationContext {
  readonly log: { readonly access: AccessLog };
  readonly reporter: Reporter;
  /** Observers of every response of the ingress. */
  readonly observers: readonly AnswerObserver[];
}

/** Facts of the request at its current stage. */
export interface Observed {
  readonly observers: readonly AnswerObserver[];
  readonly facts: ReadonlyMap<AnyKey, (exchange: Exchange) => unknown>;
  /** Pattern of the route; undefined without a route. */
  readonly route: string | undefined;
}

export class Observation implements ResponseObserver {
  readonly #exchange: Exchange;
  #observed: Observed;
  readonly #context: ObservationContext;
  readonly #startedAt = monotonicMs();
  #status = 0;
  code: string | undefined = undefined;
  failure: RunAnswer["failure"] = undefined;
  #bytes = 0;
  #isOver = false;
  /** Keys and values that guards pass to their observers, alternating. */
  #kept: unknown[] | null = null;
  /** Listener of a traced run. */
  #listener: AnswerListener | null = null;
  #trace: RequestTrace | null = null;

  private constructor(exchange: Exchange, observed: Observed, context: ObservationContext) {
    this.#exchange = exchange;
    this.#observed = observed;
    this.#context = context;
  }

  /** The observation of the exchange, created if it has none. */
  static of(exchange: Exchange, observed: Observed, context: ObservationContext): Observation {
    const { observation } = exchange.particulars;
    if (observation instanceof Observation) return observation;
    const made = new Observation(exchange, observed, context);
    exchange.own().observation = made;
    return made;
  }

  reach(observed: Observed): void {
    this.#observed = observed;
  }

  follow(listener: AnswerListener): void {
    this.#listener = listener;
  }

  keepTrace(trace: RequestTrace | null): void {
    this.#trace = trace;
  }

  keep(key: AnyKey, value: unknown): void {
    if (this.#kept === null) this.#kept = [key, value];
    else this.#kept.push(key, value);
  }

  /** The last value of a key. */
  #written(key: unknown): unknown {
    const kept = this.#kept;
    if (kept === null) return undefined;
    for (let at = kept.length - 2; at >= 0; at -= 2) if (kept[at] === key) return kept[at + 1];
    return undefined;
  }

  begin(status: number, body: string | Uint8Array | null): void {
    this.#status = status;
    this.#bytes = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;
  }

  handed(bytes: number): void {
    this.#bytes = bytes;
  }

  end(isAborted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const exchange = this.#exchange;
    const durationMs = monotonicMs() - this.#startedAt;
    const bytes = exchange.method === "HEAD" ? 0 : this.#bytes;
    if (this.#observed.observers.length + this.#context.observers.length > 0)
      this.#tell(exchange, bytes, durationMs, isAborted);
    this.#trace?.end({
      path: exchange.path,
      route: this.#observed.route,
      status: this.#status,
      code: this.failure?.code ?? this.code,
      clientAddress: exchange.particulars.client?.ip,
    });
    if (this.#listener === null) return;
    const { code, failure } = this;
    const answer = { status: this.#status, bytes, duration_us: Math.round(durationMs * 1000) };
    const isProblem = code !== undefined || failure !== undefined;
    this.#listener.answered(
      isProblem ? { ...answer, code: failure?.code ?? code, ...(failure && { failure }) } : answer,
    );
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
      code: this.failure?.code ?? this.code,
      requestId: exchange.requestId || undefined,
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
      const message = "An observer of responses threw";
      this.#context.reporter({ code: "OBSERVER_FAILED", message, error, ...exchange.reportIds });
    }
  }
}
