// A request with observers of its response. Created only if a guard observes the response, an
// extension counts it, or its run is traced.

// The import is cheaper: the global Buffer is an accessor.
import { Buffer } from "node:buffer";
import type { AnyKey, BusKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import { monotonicMs } from "#core/clock.js";
import type {
  AccessLog,
  AnswerObserver,
  AnswerRecord,
  CountAnswer,
  CountedAnswer,
} from "#core/ports/answer-observer.js";
import type { RunAnswer } from "#core/timeline/recorder.js";
import type { AnswerListener } from "#runtime/trace/tracing.js";
import type { RequestTrace } from "#telemetry/tracing/request-trace.js";
import type { AnswerHead } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import type { ResponseObserver } from "../exchange/particulars.js";

export interface ObservationContext {
  readonly log: { readonly access: AccessLog };
  readonly reporter: Reporter;
  /** Called for every response of the ingress. */
  readonly counts: readonly CountAnswer[];
}

/** Facts of the request at its current stage. */
export interface Observed {
  readonly observers: readonly AnswerObserver[];
  readonly facts: ReadonlyMap<AnyKey, (exchange: Exchange) => unknown>;
  /** Pattern of the route; undefined without a route. */
  readonly route: string | undefined;
}

const bytesOf = (body: string | Uint8Array | null): number =>
  body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length;

const NOT_READ = Symbol("not read");

export class Observation implements ResponseObserver, CountedAnswer {
  readonly #exchange: Exchange;
  #observed: Observed;
  readonly #context: ObservationContext;
  readonly #startedAt = monotonicMs();
  status = 0;
  code: string | undefined = undefined;
  failure: RunAnswer["failure"] = undefined;
  durationMs = 0;
  isAborted = false;
  #body: string | Uint8Array | null = null;
  #block: AnswerHead["block"] | null = null;
  #input: unknown = NOT_READ;
  #inputBytes = 0;
  /** -1 until they are counted. */
  #bytes = -1;
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
    const { observation } = exchange;
    if (observation instanceof Observation) return observation;
    const made = new Observation(exchange, observed, context);
    exchange.observation = made;
    return made;
  }

  get method(): string {
    return this.#exchange.method;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get route(): string | undefined {
    return this.#observed.route;
  }

  get requestId(): string | undefined {
    return this.#exchange.requestId || undefined;
  }

  get bytes(): number {
    if (this.#bytes < 0) this.#bytes = this.#exchange.method === "HEAD" ? 0 : bytesOf(this.#body);
    return this.#bytes;
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

  begin({ status, block }: Pick<AnswerHead, "status" | "block">, body: string | Uint8Array | null): void {
    this.status = status;
    this.#body = body;
    this.#block = block;
  }

  read(input: unknown, bytes: number): void {
    this.#input = input;
    this.#inputBytes = bytes;
  }

  /** The input, or its Refusal, and the length of the body; undefined if the body was not read. */
  get input(): { readonly value: unknown; readonly bytes: number } | undefined {
    return this.#input === NOT_READ ? undefined : { value: this.#input, bytes: this.#inputBytes };
  }

  /** Undefined without a response; its body is undefined if it is streamed. */
  get response():
    | { readonly head: string; readonly body: string | Uint8Array | null | undefined }
    | undefined {
    const block = this.#block;
    if (block === null) return undefined;
    const text = typeof block === "string" ? block : Buffer.from(block).toString("latin1");
    const body = this.#body === null && this.#bytes > 0 ? undefined : this.#body;
    return { head: text + this.#exchange.lines, body };
  }

  handed(bytes: number): void {
    this.#bytes = bytes;
    // The run of a streamed response is over, and a client may take hours to read it.
    this.#input = NOT_READ;
  }

  end(isAborted: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.isAborted = isAborted;
    this.durationMs = monotonicMs() - this.#startedAt;
    this.code = this.failure?.code ?? this.code;
    const { counts } = this.#context;
    for (let at = 0; at < counts.length; at += 1) this.#count(counts[at] as CountAnswer);
    if (this.#observed.observers.length > 0) this.#tell();
    this.#trace?.end({
      path: this.path,
      route: this.route,
      status: this.status,
      code: this.code,
      clientAddress: this.#exchange.particulars.client?.ip,
    });
    if (this.#listener !== null) this.#listener.answered(this.#answer());
  }

  #answer(): RunAnswer {
    const { status, bytes, code, failure } = this;
    const answer = { status, bytes, duration_us: Math.round(this.durationMs * 1000) };
    return code === undefined ? answer : { ...answer, code, ...(failure && { failure }) };
  }

  #count(count: CountAnswer): void {
    try {
      count(this);
    } catch (error) {
      this.#report(error);
    }
  }

  #tell(): void {
    const { method, path, status, code, requestId, bytes, durationMs, isAborted } = this;
    const { observers, facts, route } = this.#observed;
    const { access } = this.#context.log;
    const exchange = this.#exchange;
    const { query } = exchange;
    const answer: AnswerRecord = {
      ...{ method, path, query, route, status, code, requestId, bytes, durationMs, isAborted },
      find: <T, Name extends string>(key: BusKey<T, Name>) =>
        (this.#written(key) ?? facts.get(key as unknown as AnyKey)?.(exchange)) as T | undefined,
    };
    for (const observer of observers) {
      try {
        observer.answered(answer, access);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #report(error: unknown): void {
    const message = "An observer of responses threw";
    const { reportIds } = this.#exchange;
    this.#context.reporter({ code: "OBSERVER_FAILED", message, error, ...reportIds });
  }
}
