// One mounted route: an Axon compiled for this ingress, with the reader of its
// input and the writer of its answer. What it needs of a request was decided when
// it was made, and nothing else is fetched.

import { Control, type Fault } from "#core/outcome.js";
import type { Recorder } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import { outputSchemaOf } from "#runtime/axon-definition.js";
import { missingKeys } from "#runtime/definite-assignment.js";
import { Program } from "#runtime/program.js";
import { RunControl } from "#runtime/run-control.js";
import type { RunState } from "#runtime/run-state.js";
import { keysOf } from "#runtime/used-keys.js";
import { compileSerialiser, type Serialise } from "#schema/serialiser.js";
import { sendValue, stringify } from "./answer.js";
import { isJson } from "./content-type.js";
import type { Reader } from "./extraction.js";
import { faultAnswer, internal } from "./fault-problem.js";
import type { CircuitSupply, IngressSupply } from "./ingress-supply.js";
import { inputOf } from "./input.js";
import { type BodyReceiver, readBody, tooLarge } from "./native/body.js";
import type { BodyDeadlines } from "./native/body-deadlines.js";
import type { Exchange } from "./native/exchange.js";
import type { NativeRequest } from "./native/port.js";
import type { Pattern } from "./pattern.js";
import { sendFailure, sendProblem, sendRefusal } from "./problem-answer.js";
import { parseQuery } from "./query-string.js";
import { Refusal } from "./refusal.js";
import { clientRequestId, newRequestId } from "./request-id.js";
import type { RouteDefinition } from "./route-definition.js";

/** What the circuits of one ingress share. */
export interface CircuitContext {
  readonly production: boolean;
  readonly supply: IngressSupply;
  readonly reporter: Reporter;
  readonly recorder: Recorder | undefined;
  readonly deadlines: BodyDeadlines;
  readonly bodyLimit: number;
}

const NO_BODY = Buffer.alloc(0);
const NOT_JSON = new Refusal("MEDIA_TYPE_UNSUPPORTED", {
  detail: "Send JSON in UTF-8 as application/json",
  headers: { "accept-post": "application/json" },
});
const ENCODED = new Refusal("MEDIA_TYPE_UNSUPPORTED", {
  detail: "Send the body without a content encoding",
  headers: { "accept-encoding": "identity" },
});

export class Circuit implements BodyReceiver {
  readonly method: string;
  readonly pattern: Pattern;
  /** What its steps read and nobody provides, a line each: a circuit with any must not be served. */
  readonly missing: readonly string[];
  /** How many of its runs wait for a promise. */
  waiting = 0;
  readonly #program: Program;
  readonly #reader: Reader;
  readonly #supply: CircuitSupply;
  readonly #serialise: Serialise;
  readonly #bodyLimit: number;
  readonly #context: CircuitContext;

  /** Throws what makes the route impossible to run: schemas, branches, jumps. */
  constructor(route: RouteDefinition, context: CircuitContext) {
    const { axon, method, pattern } = route;
    const { production, reporter } = context;
    const { reader, checked } = inputOf(route);
    const supply = context.supply.for(keysOf(axon), pattern);
    this.method = method;
    this.pattern = pattern;
    this.#program = new Program(axon, {
      ...supply,
      production,
      reporter,
      inputChecked: checked,
      ...(context.recorder && { recorder: context.recorder }),
      ownBus: true,
    });
    this.missing = missingKeys(axon.name, this.#program.code, supply.given);
    const output = outputSchemaOf(axon);
    this.#reader = reader;
    this.#supply = supply;
    this.#serialise = output === undefined ? stringify : compileSerialiser(output);
    this.#bodyLimit = route.bodyLimit ?? context.bodyLimit;
    this.#context = context;
  }

  /** Its Axon's. */
  get name(): string {
    return this.#program.name;
  }

  /** Answers a request that the router gave to this route, now or later. */
  serve(exchange: Exchange, request: NativeRequest): void {
    const refusal = exchange.bodyLength === 0 ? null : this.#refusalOfBody(exchange);
    if (refusal !== null) {
      sendRefusal(exchange, refusal);
      return;
    }
    const { headers, readsRequestId, readsQuery } = this.#supply;
    if (headers.length > 0) exchange.headers = headers.map((name) => request.getHeader(name));
    if (readsRequestId && exchange.requestId === "") {
      exchange.requestId = clientRequestId(request.getHeader("x-request-id")) || newRequestId();
    }
    if (readsQuery) {
      const parameters = parseQuery(exchange.query);
      if (parameters instanceof Refusal) {
        sendRefusal(exchange, parameters);
        return;
      }
      exchange.parameters = parameters;
    }
    if (exchange.bodyLength === 0 || !this.#reader.readsBody) this.received(exchange, NO_BODY);
    else readBody(exchange, this.#bodyLimit, this.#context.deadlines, this);
  }

  /** The body is whole, or there is none to read: runs the Axon. */
  received(exchange: Exchange, body: Buffer): void {
    try {
      const input = this.#reader.read(exchange, body);
      if (input instanceof Refusal) sendRefusal(exchange, input);
      else this.#run(exchange, input);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  refused(exchange: Exchange, refusal: Refusal): void {
    sendRefusal(exchange, refusal);
  }

  #run(exchange: Exchange, input: unknown): void {
    const state = this.#program.acquire();
    state.request = exchange;
    const outcome = this.#program.run(input, state);
    if (!(outcome instanceof Promise)) {
      this.#answer(exchange, outcome);
      return;
    }
    exchange.wait();
    exchange.onAbort = () => abort(state);
    this.waiting += 1;
    outcome.then(
      (later) => this.#answerLater(exchange, later),
      (error) => {
        this.waiting -= 1;
        this.#fail(exchange, error);
      },
    );
  }

  #answerLater(exchange: Exchange, outcome: unknown): void {
    this.waiting -= 1;
    if (exchange.phase === "aborted") return;
    try {
      this.#answer(exchange, outcome);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #answer(exchange: Exchange, outcome: unknown): void {
    if (outcome instanceof Control) {
      this.#answerFault(exchange, (outcome as Fault<unknown>).error);
      return;
    }
    try {
      sendValue(exchange, outcome, this.#serialise);
    } catch (error) {
      const message = `${this.#program.name}: its output could not be written as JSON`;
      sendProblem(exchange, internal(message, error, this.#context.production));
      this.#context.reporter({ code: "ANSWER_FAILED", message, error, requestId: exchange.requestId });
    }
  }

  #answerFault(exchange: Exchange, error: unknown): void {
    const { production, reporter } = this.#context;
    const { problem, report } = faultAnswer(error, production);
    sendProblem(exchange, problem);
    if (report === undefined) return;
    reporter({ ...report, axon: this.#program.name, requestId: exchange.requestId });
  }

  #fail(exchange: Exchange, error: unknown): void {
    const message = "The framework failed while it answered a request";
    sendFailure(exchange, internal(message, error, this.#context.production));
    const { requestId } = exchange;
    this.#context.reporter({ code: "INGRESS_FAILED", message, error, axon: this.#program.name, requestId });
  }

  /** Why a body is refused by what the head says of it. */
  #refusalOfBody(exchange: Exchange): Refusal | null {
    if (exchange.bodyLength > this.#bodyLimit) return tooLarge(this.#bodyLimit);
    const { readsBody, wantsJson } = this.#reader;
    if (!readsBody) return null;
    const { contentType, contentEncoding } = exchange;
    if (contentEncoding !== "" && contentEncoding.toLowerCase() !== "identity") return ENCODED;
    return wantsJson && !isJson(contentType) ? NOT_JSON : null;
  }
}

function abort(state: RunState): void {
  state.control ??= new RunControl();
  state.control.abort(new Error("The client went away"));
}
