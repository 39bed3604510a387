// One mounted route: an Axon compiled for this ingress, with the reader of its input and the writer of
// its response. Only what it declares is fetched of a request.

import { fault } from "#core/bus/outcome.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { keysOf } from "#runtime/check/used-keys.js";
import { Program } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { decidesFirst } from "#runtime/definition/mounted.js";
import { panicOf } from "#runtime/run/answers.js";
import type { Instruction } from "#runtime/run/instruction.js";
import { SUSPENDED } from "#runtime/run/instruction.js";
import type { RunState } from "#runtime/run/run-state.js";
import { type AnswerPolicy, guardsOf } from "../answer/answer-policy.js";
import { sendRefusal } from "../answer/problem-answer.js";
import { RouteAnswers } from "../answer/route-answers.js";
import { type BodyReceiver, readBody } from "../exchange/body.js";
import { BodyStream } from "../exchange/body-stream.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Idempotency } from "../idempotency/idempotency.js";
import { refusalOfBody } from "../input/body-media.js";
import { type Reader, readNothing } from "../input/extraction.js";
import { fieldsOf } from "../input/head-parameters.js";
import type { Deadlines } from "../native/deadlines.js";
import type { NativeRequest } from "../native/port.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { inputOf, limitsOf } from "../plan/route-input.js";
import { faultOfRefusal, Refusal } from "../refusal/refusal.js";
import type { Pattern } from "../routing/pattern.js";
import type { CircuitContext } from "./circuit-context.js";
import { composed } from "./composition.js";
import { DetachedRuns, statusTargets } from "./detached-run.js";
import { type DisposalCount, disposal } from "./disposal.js";
import { idempotencyOf } from "./idempotent-route.js";
import type { CircuitSupply } from "./ingress-supply.js";
import { reportLettersOfRequests } from "./letters-of-requests.js";
import { Observation, type Observed } from "./observation.js";
import { fetchFacts } from "./request-facts.js";
import { forgetTrace, requestOrigin, runKept } from "./request-traces.js";
import { abandonRun, abortRun, GONE, giveUp, suspend } from "./suspended-run.js";
import { tellingSteps } from "./telling-steps.js";
import { unkeptKeys } from "./unkept-keys.js";

const NO_BODY = Buffer.alloc(0);
const TIMED_OUT = new Refusal("ROUTE_TIMEOUT");

export class Circuit implements BodyReceiver<Exchange> {
  readonly method: string;
  readonly pattern: Pattern;
  readonly isProbe: boolean;
  /** The engine's WebSocket behaviour; -1 for none. */
  readonly behaviour: number;
  readonly policy: AnswerPolicy;
  /** A line for each key without a provider: such a circuit must not serve. */
  readonly missing: readonly string[];
  /** A line for each key that a resumed run would miss. */
  readonly unkept: readonly string[];
  /** Number of runs awaiting a promise. */
  #waiting = 0;
  /** Number of pending input readers. One that writes to the disk outlives an abandoned run. */
  #reading = 0;
  readonly #disposing: DisposalCount = { count: 0 };
  readonly program: Program;
  /** Whether the input is read before the run: no guard or layer decides first. */
  readonly #readsFirst: boolean;
  /** True if a run whose guards pass synchronously is suspended until the body arrives. No time-out or layer can end it meanwhile. */
  readonly #suspends: boolean;
  readonly #reader: Reader;
  readonly #takesBody: boolean;
  /** Whether it reads nothing of a request. */
  readonly #isBare: boolean;
  readonly #supply: CircuitSupply;
  readonly #answers: RouteAnswers;
  readonly #observed: Observed;
  readonly #bodyLimit: number;
  readonly #timeouts: Deadlines;
  /** Undefined without idempotency keys. */
  readonly #idempotency: Idempotency | undefined;
  /** Undefined where responses wait for their runs. */
  readonly #detached: DetachedRuns | undefined;
  readonly #context: CircuitContext;

  /** Throws for invalid schemas, branches and jumps. */
  constructor(route: RouteDefinition, context: CircuitContext) {
    const { method, pattern } = route;
    const axon = tellingSteps(composed(route, context));
    const { production, reporter, serves } = context;
    const { reader, checked } = inputOf(route);
    const { streams } = reader;
    const guards = guardsOf(axon);
    const { bodyLimit, timeoutMs } = limitsOf(route, guards, context);
    const declared = route.isProbe ? context.policy.unobserved : context.policy.for(guards);
    const policy = route.compress ? declared : declared.uncompressed;
    const observed = [...policy.observers, ...context.observation.observers].flatMap(({ reads }) => reads);
    const supply = context.supply.for(keysOf(axon), pattern, observed);
    const keptRuns = axon.persistence && context.kept?.runs;
    this.#idempotency = idempotencyOf(route, axon, { timeoutMs, reporter, reader, serves, supply, keptRuns });
    // A repeated request must have the same body, also where the Axon does not read it.
    this.#takesBody = (reader.readsBody && !streams) || this.#idempotency !== undefined;
    const around = supply.disposes ? [disposal(axon.name, reporter, this.#disposing)] : [];
    this.#readsFirst = around.length === 0 && !decidesFirst(axon);
    this.#isBare = this.#readsFirst && reader === readNothing && !this.#takesBody && !supply.fetches;
    this.#detached = DetachedRuns.of(route, { host: context.kept?.host, path: context.runStatus });
    this.#suspends =
      this.#detached === undefined &&
      this.#idempotency === undefined &&
      around.length + axon.layers.length === 0 &&
      timeoutMs >= context.bodyTimeoutMs;
    this.method = method;
    this.pattern = pattern;
    this.isProbe = route.isProbe;
    this.behaviour = route.behaviour;
    this.policy = policy;
    this.program = new Program(axon, {
      ...supply,
      production,
      reporter,
      inputChecked: checked,
      input: this.#readsFirst || (reader === readNothing && !this.#takesBody) ? undefined : this.#inputStep,
      around,
      ...(context.recorder && { recorder: context.recorder }),
      origin: requestOrigin(serves === "route" ? pattern.text : undefined, context.observation),
      isTold: context.tracing !== undefined,
      owner: context.kept?.host,
      unsent: (answer, instead, request) => this.#answers.unsent(answer, instead, request as Exchange),
      ownBus: true,
    });
    this.missing = missingKeys(axon.name, this.program.code, supply.given);
    this.unkept = unkeptKeys(axon, this.program, supply);
    reportLettersOfRequests(route.axon, supply.supply.constants.keys(), reporter);
    this.#reader = reader;
    this.#supply = supply;
    this.#timeouts = context.deadlines.of(timeoutMs);
    this.#answers = new RouteAnswers({
      ...context,
      axon,
      where: whereOf(route, axon),
      deadlines: this.#timeouts,
      onFault: route.onFault,
      isFallback: serves === "fallback",
      statusOf: statusTargets(context.runStatus),
    });
    this.#bodyLimit = bodyLimit;
    this.#observed = {
      observers: policy.observers,
      facts: supply.facts,
      route: serves === "route" ? pattern.text : undefined,
    };
    this.#context = context;
  }

  get looksUp(): boolean {
    const { headers, readsRequestId, readsTrace } = this.#supply;
    return headers.length > 0 || readsRequestId || readsTrace || this.#reader.headers.size > 0;
  }

  get name(): string {
    return this.program.name;
  }

  /** Number of runs that wait, read or dispose. */
  get waiting(): number {
    const settling = this.#idempotency?.settling ?? 0;
    return Math.max(this.#waiting, this.#reading, this.#disposing.count, settling);
  }

  /** Serves now or later. */
  serve(exchange: Exchange, request: NativeRequest): void {
    this.#take(exchange, request);
    const refusal = this.#readsFirst ? refusalOfBody(exchange, this.#bodyLimit, this.#reader) : null;
    if (refusal !== null) {
      this.#tell(exchange, refusal);
      this.#refuse(exchange, request, refusal);
      return;
    }
    if (this.#isBare) {
      this.received(exchange, NO_BODY);
      return;
    }
    const { headers, streams } = this.#reader;
    if (headers.size > 0) exchange.own().fields = fieldsOf(request, headers);
    const malformed = fetchFacts(this.#supply, this.#context.clients, exchange, request);
    if (malformed !== undefined) {
      this.#tell(exchange, malformed);
      sendRefusal(exchange, malformed);
      return;
    }
    if (streams) exchange.own().stream = this.#open(exchange);
    const hasBody = exchange.bodyLength !== 0 && this.#takesBody;
    if (!this.#readsFirst) {
      this.#run(exchange, undefined);
      // Asynchronous guards have not asked for it yet.
      if (hasBody) exchange.hold(this.#bodyLimit);
    } else if (hasBody) readBody(exchange, this.#bodyLimit, this.#context.bodyDeadlines, this);
    else this.received(exchange, NO_BODY);
  }

  refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    this.#take(exchange, request);
    this.#refuse(exchange, request, refusal);
  }

  #take(exchange: Exchange, request: NativeRequest): void {
    exchange.bodyLimit = this.#bodyLimit;
    if (this.policy !== this.#context.policy) this.policy.apply(exchange, request, this.#context.clients);
    this.#observe(exchange);
  }

  #refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    // Observers read them.
    if (exchange.particulars.observation !== null)
      fetchFacts(this.#supply, this.#context.clients, exchange, request);
    sendRefusal(exchange, refusal);
  }

  /** Fetches facts for observers of a response without a run. */
  fetch(exchange: Exchange, request: NativeRequest): void {
    this.#observe(exchange);
    fetchFacts(this.#supply, this.#context.clients, exchange, request);
  }

  #observe(exchange: Exchange): void {
    if (this.isProbe) forgetTrace(exchange);
    const { observation } = exchange.particulars;
    if (observation !== null || this.#observed.observers.length > 0)
      Observation.of(exchange, this.#observed, this.#context.observation).reach(this.#observed);
  }

  /** The body is complete or not read: runs the Axon. */
  received(exchange: Exchange, body: Buffer): void {
    try {
      const input = this.#inputIn(exchange, body);
      if (input instanceof Promise) this.#beginLater(exchange, input);
      else this.#begin(exchange, input);
    } catch (error) {
      giveUp(this.program, exchange, panicOf("input", error));
      this.#answers.fail(exchange, error);
    }
  }

  /** A streamed body may be refused during its run. */
  refused(exchange: Exchange, refusal: Refusal): void {
    // One that reads its body as it arrives has begun.
    if (this.#reader.streams) giveUp(this.program, exchange, fault(refusal));
    else this.#tell(exchange, refusal);
    sendRefusal(exchange, refusal);
    exchange.abandon();
  }

  /** Those who watch are told of a refused input: as the end of the run behind guards, else as a run without steps. */
  #tell(exchange: Exchange, refusal: Refusal): void {
    const why = fault(refusal);
    if (this.#readsFirst) this.program.watch?.refused(why, exchange);
    else giveUp(this.program, exchange, why);
  }

  #open(exchange: Exchange): BodyStream {
    const stream = new BodyStream(exchange, {
      limit: this.#bodyLimit,
      deadlines: this.#context.bodyDeadlines,
      refused: (refusal) => this.refused(exchange, refusal),
      unstored: (error) => this.#answers.unstored(exchange, error),
    });
    if (this.#readsFirst) stream.want();
    return stream;
  }

  #beginLater(exchange: Exchange, input: Promise<unknown>): void {
    input
      .then((read) => {
        if (exchange.isOpen) this.#begin(exchange, read);
        else exchange.particulars.stream?.release();
      })
      .catch((error) => {
        // After a disconnect or a refusal the reader fails too.
        if (exchange.isOpen) this.#answers.fail(exchange, error);
        exchange.particulars.stream?.release();
      });
  }

  #begin(exchange: Exchange, input: unknown): void {
    if (!(input instanceof Refusal)) {
      this.#run(exchange, input);
      return;
    }
    exchange.particulars.stream?.release();
    this.#tell(exchange, input);
    sendRefusal(exchange, input);
  }

  /** Runs behind the guards. */
  readonly #inputStep: Instruction["step"] = {
    run: (_, { state }) => {
      const exchange = state.request as Exchange;
      const refusal =
        refusalOfBody(exchange, this.#bodyLimit, this.#reader) ?? exchange.particulars.stream?.want();
      if (refusal) return fault(refusal);
      if (exchange.bodyLength === 0 || !this.#takesBody) return this.#inputOf(state, NO_BODY);
      if (this.#suspends && this.program.maySuspend(state))
        return suspend(this.program, exchange, state, this.#timeouts.now);
      return new Promise((resolve, reject) => {
        readBody(exchange, this.#bodyLimit, this.#context.bodyDeadlines, {
          received: (_, body) => {
            try {
              resolve(this.#inputOf(state, body));
            } catch (error) {
              reject(error);
            }
          },
          refused: (_, refusal) => resolve(fault(refusal)),
        });
        // Settled by nothing else.
        exchange.whenAborted(() => resolve(GONE));
      });
    },
  };

  #inputOf(state: RunState, body: Buffer): unknown {
    const exchange = state.request as Exchange;
    if (this.#idempotency === undefined) return this.#read(exchange, body);
    return this.#idempotency.enter(state, body, this.#answers, (whole) => this.#read(exchange, whole));
  }

  #read(exchange: Exchange, body: Buffer): unknown {
    const input = this.#inputIn(exchange, body);
    return input instanceof Promise ? input.then(faultOfRefusal) : faultOfRefusal(input);
  }

  #inputIn(exchange: Exchange, body: Buffer): unknown {
    const input = this.#reader.read(exchange, body);
    if (!(input instanceof Promise)) return input;
    this.#reading += 1;
    return input.finally(() => {
      this.#reading -= 1;
    });
  }

  #run(exchange: Exchange, input: unknown): void {
    const { suspended, kept } = exchange.particulars;
    const state = suspended ?? this.program.acquire();
    state.request = exchange;
    if (this.#detached !== undefined) {
      const run = (): unknown =>
        kept === null ? this.program.run(input, state) : runKept(kept, this.program, input, state);
      const answer = (outcome: unknown): void => this.#answer(exchange, outcome);
      this.#detached.run({ exchange, state, run, answer }, this.#answers);
      return;
    }
    if (suspended !== null) exchange.own().suspended = null;
    const outcome =
      suspended !== null
        ? this.program.goOn(input, state)
        : kept === null
          ? this.program.run(input, state)
          : runKept(kept, this.program, input, state);
    if (outcome === SUSPENDED) {
      readBody(exchange, this.#bodyLimit, this.#context.bodyDeadlines, this);
      return;
    }
    if (!(outcome instanceof Promise)) {
      exchange.particulars.stream?.release();
      // A step kept the abort signal and may still be producing the response body.
      if (state.control !== null) exchange.whenAborted(() => abandon(state, exchange));
      this.#answer(exchange, outcome);
      return;
    }
    let hasEnded = false;
    exchange.wait();
    exchange.whenAborted(() => {
      if (exchange.particulars.keyed === null || hasEnded) abandon(state, exchange);
      exchange.particulars.stream?.release();
    });
    this.#waiting += 1;
    const since = suspended === null ? this.#timeouts.now : exchange.particulars.suspendedAt;
    const timeout = this.#timeouts.add(() => {
      sendRefusal(exchange, TIMED_OUT);
      abortRun(state, new Error("The route's time is up"));
      // The late outcome has no reader: do not report it.
      exchange.abandon();
    }, since);
    const settle = (): void => {
      hasEnded = true;
      this.#waiting -= 1;
      this.#timeouts.remove(timeout);
      exchange.particulars.stream?.release();
    };
    outcome.then(
      (later) => {
        settle();
        this.#answerLater(exchange, later, since);
      },
      (error) => {
        settle();
        this.#answers.fail(exchange, error);
      },
    );
  }

  #answerLater(exchange: Exchange, outcome: unknown, since: number): void {
    try {
      if (!exchange.isAbandoned || exchange.particulars.keyed !== null)
        this.#answer(exchange, outcome, since);
      else this.#answers.unsent(outcome, undefined, exchange);
    } catch (error) {
      this.#answers.fail(exchange, error);
    }
  }

  #answer(exchange: Exchange, outcome: unknown, since?: number): void {
    if (exchange.particulars.keyed === null) this.#answers.send(exchange, outcome, since);
    else exchange.particulars.keyed.answer(outcome, since);
    if (this.behaviour >= 0) exchange.particulars.opening?.lost();
  }
}

const abandon = (state: RunState, { phase }: Exchange): void =>
  abandonRun(state, phase === "aborted" ? GONE.error.reason : new Error("The answer was given up"));

/** "GET /orders/:id, step 'price' of Axon 'orders'": whose output an answer is. */
function whereOf({ method, pattern }: RouteDefinition, { name, steps }: AxonDefinition): string {
  const last = steps.at(-1);
  const step = last === undefined ? "" : `step '${last.transition.name}' of `;
  return `${method} ${pattern.text}, ${step}Axon '${name}'`;
}
