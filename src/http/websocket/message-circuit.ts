// What is done with the messages of a route's connections.
//
//   WM1. Messages of one connection are begun in the order in which they came, each when
//        fewer than `concurrency` of those before it are still being worked on. Those that
//        wait are copies, and bounded in number and size; one more ends the connection.
//   WM2. A message whose run answers at once is answered in the engine's callback: without
//        a promise, and nothing is kept for it.
//   WM3. Every message is answered once, or its connection ends. What a run answers after
//        the end goes nowhere.

import { Control, type Fault, isFault } from "#core/outcome.js";
import { Reply } from "#core/reply.js";
import { isRuntimeFault, type TransitionPanic } from "#core/runtime-fault.js";
import { outputSchemaOf } from "#runtime/axon-definition.js";
import { anyJson, unwrittenOutput } from "#schema/json-value.js";
import { compileSerialiser, type Serialise } from "#schema/serialiser.js";
import { MessageTrace } from "#telemetry/tracing/message-trace.js";
import { noteAnswer } from "../answered-faults.js";
import type { CircuitContext } from "../circuit-context.js";
import { describe, faultAnswer, internal } from "../fault-problem.js";
import { Refusal } from "../refusal.js";
import type { Connection } from "./connection.js";
import {
  type ConnectionAxon,
  ConnectionCircuit,
  type ConnectionRun,
  isAborted,
} from "./connection-circuit.js";
import { frameOf, messageOf, problemIn } from "./frame.js";
import type { WebSocketLimitPlan } from "./limits.js";
import type { MessageReader } from "./message-input.js";
import type { Turns } from "./turns.js";

const TIMED_OUT = new Refusal("ROUTE_TIMEOUT", { detail: "The message took too long" });

export class MessageCircuit extends ConnectionCircuit {
  readonly #read: MessageReader;
  readonly #serialise: Serialise;
  readonly #limits: WebSocketLimitPlan;
  readonly #route: string;
  /** The connection whose message is run right now, and what is done behind that run. */
  #running: Connection | null = null;
  #behind: (() => void) | null = null;

  constructor(
    message: ConnectionAxon,
    read: MessageReader,
    limits: WebSocketLimitPlan,
    context: CircuitContext,
  ) {
    super(message, context);
    const output = outputSchemaOf(message.axon);
    this.#read = read;
    this.#limits = limits;
    this.#route = message.route;
    this.#serialise =
      output === undefined
        ? anyJson
        : compileSerialiser(output, { owner: `Axon '${message.axon.name}', output` });
  }

  /** A message has come, whose memory is the engine's. */
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    const { turns } = connection;
    if (turns === null || (turns.messages < this.#limits.concurrency && turns.length === 0)) {
      this.#begin(connection, Buffer.from(message), isBinary);
    } else if (!turns.push({ data: Buffer.from(message.slice(0)), isBinary }, this.#limits)) {
      connection.close(1008, "Too many messages wait");
    }
  }

  /** Does it behind the run of the connection's message that is run right now; at once where none is. */
  behind(connection: Connection, then: () => void): void {
    if (this.#running === connection) this.#behind = then;
    else then();
  }

  #begin(connection: Connection, data: Buffer, isBinary: boolean): void {
    this.#running = connection;
    try {
      this.#runOne(connection, data, isBinary);
    } finally {
      const behind = this.#behind;
      this.#running = this.#behind = null;
      behind?.();
    }
  }

  #runOne(connection: Connection, data: Buffer, isBinary: boolean): void {
    const input = this.#read(data, isBinary);
    if (input instanceof Refusal) {
      connection.sendProblem(input.problem);
      return;
    }
    if (!this.run(connection, input, this.#settled, this.#traceOf(connection, data.length))) return;
    const turns = connection.turns as Turns;
    turns.messages += 1;
    // Its own run has ended it, which was not among those that were told.
    if (!connection.isOpen) turns.end();
  }

  /** Undefined where it leaves none: whether it does is decided for each message. */
  #traceOf({ handshakeSpan }: Connection, bytes: number): MessageTrace | undefined {
    const { tracing } = this.context;
    const traceId = tracing?.begins();
    if (tracing === undefined || traceId === undefined) return undefined;
    const handshake = handshakeSpan ?? undefined;
    return new MessageTrace(tracing, traceId, { route: this.#route, bytes, handshake });
  }

  readonly #settled = (connection: Connection): void => {
    const turns = connection.turns as Turns;
    turns.messages -= 1;
    while (turns.messages < this.#limits.concurrency && connection.isOpen) {
      const next = turns.shift();
      if (next === undefined) break;
      this.#begin(connection, next.data, next.isBinary);
    }
    if (turns.messages + turns.runs.size + turns.length === 0) connection.turns = null;
  };

  protected override ended(run: ConnectionRun, outcome: unknown, isLate: boolean): number {
    if (outcome instanceof Control) return this.#answerFault(run, outcome as Fault<unknown>, isLate);
    return run.connection.isOpen ? this.#answer(run, outcome, this.#serialise) : 0;
  }

  #answer(run: ConnectionRun, outcome: unknown, serialise: Serialise): number {
    const { connection } = run;
    const message = messageOf(outcome);
    if (message === undefined) return 200;
    const problem = problemIn(message);
    if (problem !== undefined) {
      connection.sendProblem(problem);
      return problem.status;
    }
    let frame: string | Uint8Array;
    try {
      frame = frameOf(message, serialise);
    } catch (error) {
      this.#failToWrite(run, error);
      return 500;
    }
    connection.sendFrame(frame);
    return 200;
  }

  #failToWrite(run: ConnectionRun, error: unknown): void {
    const message = unwrittenOutput(this.name, error);
    run.connection.sendProblem(internal(message, error, this.context.production));
    this.report(run, { code: "ANSWER_FAILED", message, error });
  }

  #answerFault(run: ConnectionRun, fault: Fault<unknown>, isLate: boolean): number {
    const { connection } = run;
    const { error } = fault;
    if (isAborted(fault)) {
      if (isLate) connection.sendProblem(TIMED_OUT.problem);
      return isLate ? TIMED_OUT.problem.status : 0;
    }
    if (error instanceof Refusal) {
      connection.sendProblem(error.problem);
      return error.problem.status;
    }
    const answer = faultAnswer(error, this.context.production);
    noteAnswer(fault, connection.requestId, answer);
    if (answer instanceof Reply) {
      // The output schema is about outputs: it would leave out what a fault says.
      if (connection.isOpen) this.#answer(run, answer, anyJson);
      return answer.status;
    }
    const { problem, report } = answer;
    if (report !== undefined) this.report(run, report);
    // Where a step threw, nobody knows what it left behind.
    if (report !== undefined && isPanic(error)) connection.close(1011, "Internal server error");
    else connection.sendProblem(problem);
    return problem.status;
  }
}

const isPanic = (error: unknown): error is TransitionPanic =>
  isRuntimeFault(error) && error.code === "TRANSITION_PANIC";

/** What the end of a route's connections runs: once for each, and nobody is answered. */
export class CloseCircuit extends ConnectionCircuit {
  begin(connection: Connection, code: number, reason: string): void {
    try {
      this.run(connection, { code, reason }, () => {});
    } catch (error) {
      this.failed(connection, error);
    }
  }

  protected override ended(run: ConnectionRun, outcome: unknown): number {
    if (!isFault(outcome)) return 0;
    const error = isPanic(outcome.error) ? outcome.error.cause : outcome.error;
    const message = `What runs when a connection has closed ended with a fault: ${describe(error)}`;
    this.report(run, { code: "CLOSE_FAILED", message, error });
    return 0;
  }
}
