// One request of a route from its head to its response, in the order in which it happens:
//
//   1. Admit   Apply the route's headers and observers, and fetch the declared parts of the head.
//   2. Read    Read body and input before the run. If a guard or a layer decides first, reading is an
//              instruction of the run (`#inputStep`).
//   3. Run     Run the Axon. A pending run has the route's time-out and is aborted with its client.
//   4. Answer  Send the outcome, through the idempotency key if the request has one.
//
// One object per route, created when it is mounted. The state of a request is on its Exchange.

import { type Fault, mappedFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { reportCodes } from "#core/error-codes.js";
import type { Program } from "#runtime/compile/program.js";
import { type Instruction, SUSPENDED } from "#runtime/run/instruction.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { AnswerPolicy } from "../answer/answer-policy.js";
import { sendRefusal } from "../answer/problem-answer.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import { type BodyReceiver, readBody, reserveBody } from "../exchange/body.js";
import { BODIES_FULL } from "../exchange/body-memory.js";
import { BodyStream } from "../exchange/body-stream.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Idempotency } from "../idempotency/idempotency.js";
import { refusalOfBody } from "../input/body-media.js";
import { type Reader, readNothing } from "../input/extraction.js";
import { fieldsOf } from "../input/head-parameters.js";
import type { Deadlines } from "../native/deadlines.js";
import type { NativeRequest } from "../native/port.js";
import { faultOfRefusal, Refusal, refusedBy } from "../refusal/refusal.js";
import type { CircuitContext } from "./circuit-context.js";
import type { DetachedRuns } from "./detached-run.js";
import type { CircuitSupply } from "./ingress-supply.js";
import { Observation, type Observed } from "./observation.js";
import { fetchFacts } from "./request-facts.js";
import { forgetTrace, runKept } from "./request-traces.js";
import { abandonRun, abortRun, GONE, giveUp, suspend, warnRun } from "./suspended-run.js";

const NO_BODY = Buffer.alloc(0);
const TIMED_OUT = new Refusal("ROUTE_TIMEOUT");
const FAILED = "INGRESS_FAILED";

/** The parts of a route that the stages of its requests use. */
export interface RequestParts {
  readonly context: CircuitContext;
  /** Compiles the route's program. `readInput` is the instruction of stage 2; undefined if input is read before the run. */
  readonly compile: (readInput: Instruction["step"] | undefined) => Program;
  readonly policy: AnswerPolicy;
  readonly observed: Observed;
  readonly isProbe: boolean;
  /** True if the response may be an upgrade to WebSocket. */
  readonly upgrades: boolean;
  readonly supply: CircuitSupply;
  readonly reader: Reader;
  /** True if the whole body is collected before the input is built. */
  readonly takesBody: boolean;
  /** True if the input is read before the run, because no guard or layer decides first. */
  readonly readsFirst: boolean;
  /** True if a run whose guards pass synchronously is suspended until the body arrives. No time-out or layer can end it meanwhile. */
  readonly suspends: boolean;
  readonly bodyLimit: number;
  /** Deadlines of the route's time-out. */
  readonly timeouts: Deadlines;
  readonly answers: RouteAnswers;
  /** Undefined without idempotency keys. */
  readonly idempotency: Idempotency | undefined;
  /** Undefined if responses wait for their runs. */
  readonly detached: DetachedRuns | undefined;
}

export class RequestRun implements BodyReceiver<Exchange> {
  readonly program: Program;
  readonly #context: CircuitContext;
  readonly #policy: AnswerPolicy;
  readonly #observed: Observed;
  readonly #isProbe: boolean;
  readonly #upgrades: boolean;
  readonly #supply: CircuitSupply;
  readonly #reader: Reader;
  readonly #takesBody: boolean;
  readonly #readsFirst: boolean;
  readonly #suspends: boolean;
  /** True if the route reads nothing of a request. */
  readonly #isBare: boolean;
  readonly #bodyLimit: number;
  readonly #bodyDeadlines: Deadlines;
  readonly #timeouts: Deadlines;
  readonly #answers: RouteAnswers;
  readonly #idempotency: Idempotency | undefined;
  readonly #detached: DetachedRuns | undefined;
  /** Number of runs awaiting a promise. */
  #waiting = 0;
  /** Number of pending input readers. A reader that writes to disk outlives an abandoned run. */
  #reading = 0;

  constructor(parts: RequestParts) {
    const { context, supply, reader, takesBody, readsFirst } = parts;
    const readsNothing = reader === readNothing && !takesBody;
    this.#context = context;
    this.#policy = parts.policy;
    this.#observed = parts.observed;
    this.#isProbe = parts.isProbe;
    this.#upgrades = parts.upgrades;
    this.#supply = supply;
    this.#reader = reader;
    this.#takesBody = takesBody;
    this.#readsFirst = readsFirst;
    this.#suspends = parts.suspends;
    this.#isBare = readsFirst && readsNothing && !supply.fetches;
    this.#bodyLimit = parts.bodyLimit;
    this.#bodyDeadlines = context.bodyDeadlines;
    this.#timeouts = parts.timeouts;
    this.#answers = parts.answers;
    this.#idempotency = parts.idempotency;
    this.#detached = parts.detached;
    this.program = parts.compile(readsFirst || readsNothing ? undefined : this.#inputStep);
  }

  /** Number of runs that await a promise or read input. */
  get waiting(): number {
    return Math.max(this.#waiting, this.#reading, this.#idempotency?.settling ?? 0);
  }

  // 1. Admit

  /** Serves a request, synchronously or later. */
  serve(exchange: Exchange, request: NativeRequest): void {
    try {
      this.#serve(exchange, request);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #serve(exchange: Exchange, request: NativeRequest): void {
    this.#admit(exchange, request);
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
    const { headers, streams, keeps } = this.#reader;
    if (headers.size > 0) exchange.own().fields = fieldsOf(request, headers);
    const malformed = fetchFacts(this.#supply, this.#context.clients, exchange, request);
    if (malformed !== undefined) {
      this.#tell(exchange, malformed);
      sendRefusal(exchange, malformed);
      return;
    }
    const hasBody = exchange.bodyLength !== 0 && this.#takesBody;
    // hole: bodies could fill the memory
    if ((hasBody || streams) && !reserveBody(exchange, hasBody || keeps, this.#bodyLimit)) {
      this.#tell(exchange, BODIES_FULL);
      sendRefusal(exchange, BODIES_FULL);
      return;
    }
    if (streams) exchange.own().stream = this.#open(exchange);
    if (!this.#readsFirst) {
      this.#start(exchange, undefined);
      // Asynchronous guards are pending: nothing reads the body yet.
      if (hasBody) exchange.hold(this.#bodyLimit);
    } else if (hasBody) this.#readBody(exchange);
    else this.received(exchange, NO_BODY);
  }

  refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    this.#admit(exchange, request);
    this.#tell(exchange, refusal);
    this.#refuse(exchange, request, refusal);
  }

  /** Fetches facts for observers of a response without a run. */
  fetch(exchange: Exchange, request: NativeRequest): void {
    this.#observe(exchange);
    fetchFacts(this.#supply, this.#context.clients, exchange, request);
  }

  #admit(exchange: Exchange, request: NativeRequest): void {
    exchange.bodyLimit = this.#bodyLimit;
    if (this.#policy !== this.#context.policy) this.#policy.apply(exchange, request, this.#context.clients);
    this.#observe(exchange);
  }

  #observe(exchange: Exchange): void {
    if (this.#isProbe) forgetTrace(exchange);
    const { observation } = exchange;
    if (observation !== null || this.#observed.observers.length > 0)
      Observation.of(exchange, this.#observed, this.#context.observation).reach(this.#observed);
  }

  #refuse(exchange: Exchange, request: NativeRequest, refusal: Refusal): void {
    // Observers read these facts.
    if (exchange.observation !== null) fetchFacts(this.#supply, this.#context.clients, exchange, request);
    sendRefusal(exchange, refusal);
  }

  // 2. Read

  #readBody(exchange: Exchange): void {
    readBody(exchange, this.#bodyLimit, this.#bodyDeadlines, this);
  }

  #open(exchange: Exchange): BodyStream {
    const stream = new BodyStream(exchange, {
      limit: this.#bodyLimit,
      reserved: this.#reader.keeps ? Math.min(exchange.bodyLength, this.#bodyLimit) : 0,
      deadlines: this.#bodyDeadlines,
      refused: (refusal) => this.refused(exchange, refusal),
      unstored: (error) => this.#answers.unstored(exchange, error),
    });
    if (this.#readsFirst) stream.want();
    return stream;
  }

  /** Called when the body is complete, or at once if it is not read. */
  received(exchange: Exchange, body: Buffer): void {
    try {
      const input = this.#inputIn(exchange, body);
      if (input instanceof Promise) this.#enterLater(exchange, input);
      else this.#enter(exchange, input);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** Called when the body is refused. A streamed body may be refused during its run. */
  refused(exchange: Exchange, refusal: Refusal): void {
    // The run of a streamed body has started already.
    if (this.#reader.streams) giveUp(this.program, exchange, refusedBy(refusal));
    else this.#tell(exchange, refusal);
    sendRefusal(exchange, refusal);
    exchange.abandon();
  }

  /** A suspended run learns of it itself. */
  left(exchange: Exchange): void {
    if (this.#readsFirst) this.program.watch?.unentered(GONE, exchange);
  }

  #tell(exchange: Exchange, refusal: Refusal): void {
    this.#end(exchange, refusedBy(refusal));
  }

  /** Reports the end of a request whose steps do not run: as that of the run that the guards began, else as a run without nodes. */
  #end(exchange: Exchange, why: Fault<unknown>): void {
    if (exchange.particulars.suspended === null) this.program.watch?.unentered(why, exchange);
    else giveUp(this.program, exchange, why);
  }

  /** A failure before the run, or as it resumes. */
  #fail(exchange: Exchange, error: unknown): void {
    const problem = new ProblemDetail({ status: 500, code: FAILED, title: reportCodes[FAILED] });
    this.#end(exchange, mappedFault(problem, { step: "ingress", thrown: error }));
    this.#answers.fail(exchange, error);
  }

  /** The instruction of the run that reads the input, if guards or layers decide first. */
  readonly #inputStep: Instruction["step"] = {
    run: (_, { state }) => {
      const exchange = state.request as Exchange;
      const refusal =
        refusalOfBody(exchange, this.#bodyLimit, this.#reader) ?? exchange.particulars.stream?.want();
      if (refusal) return refusedBy(refusal);
      if (exchange.bodyLength === 0 || !this.#takesBody) return this.#inputOf(state, NO_BODY);
      if (this.#suspends && this.program.maySuspend(state))
        return suspend(this.program, exchange, state, this.#timeouts.now);
      return new Promise((resolve, reject) => {
        readBody(exchange, this.#bodyLimit, this.#bodyDeadlines, {
          received: (_, body) => {
            try {
              resolve(this.#inputOf(state, body));
            } catch (error) {
              reject(error);
            }
          },
          refused: (_, refusal) => resolve(refusedBy(refusal)),
        });
        // After an abort nothing else settles this promise.
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

  #enterLater(exchange: Exchange, input: Promise<unknown>): void {
    input
      .then((read) => {
        if (exchange.isOpen) this.#enter(exchange, read);
        else exchange.particulars.stream?.release();
      })
      .catch((error) => {
        // After a disconnect or a refusal the reader rejects too: ignore that.
        if (exchange.isOpen) this.#fail(exchange, error);
        exchange.particulars.stream?.release();
      });
  }

  /** Passes the input to the suspended run, or starts a run with it. */
  #enter(exchange: Exchange, input: unknown): void {
    if (input instanceof Refusal) {
      exchange.particulars.stream?.release();
      this.#tell(exchange, input);
      sendRefusal(exchange, input);
      return;
    }
    const { suspended } = exchange.particulars;
    if (suspended === null) this.#start(exchange, input);
    else this.#resume(exchange, suspended, input);
  }

  // 3. Run

  #start(exchange: Exchange, input: unknown): void {
    const state = this.program.acquire();
    state.request = exchange;
    if (this.#detached !== undefined) {
      const run = (): unknown => this.#outcomeOf(exchange, input, state);
      const answer = (outcome: unknown): void => this.#answer(exchange, outcome);
      this.#detached.run({ exchange, state, run, answer }, this.#answers);
      return;
    }
    const outcome = this.#outcomeOf(exchange, input, state);
    if (outcome === SUSPENDED) this.#readBody(exchange);
    else if (outcome instanceof Promise) this.#await(exchange, state, outcome, this.#timeouts.now);
    else this.#ended(exchange, state, outcome);
  }

  #resume(exchange: Exchange, state: RunState, input: unknown): void {
    const own = exchange.own();
    own.suspended = null;
    const outcome = this.program.goOn(input, state);
    if (outcome instanceof Promise) this.#await(exchange, state, outcome, own.suspendedAt);
    else this.#ended(exchange, state, outcome);
  }

  #outcomeOf(exchange: Exchange, input: unknown, state: RunState): unknown {
    const { kept } = exchange.particulars;
    return kept === null ? this.program.run(input, state) : runKept(kept, this.program, input, state);
  }

  #ended(exchange: Exchange, state: RunState, outcome: unknown): void {
    exchange.particulars.stream?.release();
    // A step kept the abort signal and may still be producing the response body.
    if (state.control !== null) exchange.whenAborted(() => abandonRun(state, reasonOf(exchange)));
    this.#answer(exchange, outcome);
  }

  /** `since` is the start of the run's time-out, in ticks. */
  #await(exchange: Exchange, state: RunState, outcome: Promise<unknown>, since: number): void {
    let hasEnded = false;
    exchange.wait();
    exchange.runBegan();
    exchange.whenAborted(() => {
      if (exchange.particulars.opening !== null && !hasEnded) warnRun(state, reasonOf(exchange));
      else if (exchange.particulars.keyed === null || hasEnded) abandonRun(state, reasonOf(exchange));
      exchange.particulars.stream?.release();
    });
    this.#waiting += 1;
    let timeout = this.#timeouts.add(() => {
      sendRefusal(exchange, TIMED_OUT);
      if (exchange.particulars.opening === null) abortRun(state, new Error("The route's time is up"));
      // The late outcome has no reader: do not report it.
      exchange.abandon();
      // A run that never settles may be garbage: its body counts for one more time of the route.
      timeout = this.#timeouts.add(() => exchange.runEnded());
    }, since);
    const settle = (): void => {
      hasEnded = true;
      this.#waiting -= 1;
      this.#timeouts.remove(timeout);
      exchange.particulars.stream?.release();
      exchange.runEnded();
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

  // 4. Answer

  #answerLater(exchange: Exchange, outcome: unknown, since: number): void {
    if (!exchange.isAbandoned || exchange.particulars.keyed !== null) this.#answer(exchange, outcome, since);
    else this.#answers.unsent(outcome, undefined, exchange);
  }

  #answer(exchange: Exchange, outcome: unknown, since?: number): void {
    try {
      if (exchange.particulars.keyed === null) this.#answers.send(exchange, outcome, since);
      else exchange.particulars.keyed.answer(outcome, since);
      if (this.#upgrades) exchange.particulars.opening?.lost();
    } catch (error) {
      this.#answers.fail(exchange, error);
    }
  }
}

const reasonOf = ({ phase }: Exchange): unknown =>
  phase === "aborted" ? GONE.error.reason : new Error("The answer was given up");
