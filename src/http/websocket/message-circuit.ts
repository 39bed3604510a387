// Runs the messages of a route's connections in order, up to `concurrency` at once. Waiting messages
// are copies, bounded in number and size. A synchronous run is answered in the engine's callback,
// and nothing is retained for it.

import { isAscii } from "node:buffer";
import type { TSchema } from "@sinclair/typebox";
import { Control, type Fault, isFault } from "#core/bus/outcome.js";
import { Reply } from "#core/bus/reply.js";
import { isRuntimeFault, type TransitionPanic } from "#core/bus/runtime-fault.js";
import type { WebSocketClose } from "#core/facts/web-socket.js";
import type { Serialise } from "#schema/compile/serialiser.js";
import { anyJson, unwrittenOutput } from "#schema/tree/json-value.js";
import { MessageTrace } from "#telemetry/tracing/message-trace.js";
import { serialiserOf } from "../answer/answer.js";
import { noteAnswer } from "../answer/answered-faults.js";
import { describe, faultAnswer, internal, mappedReport } from "../answer/fault-problem.js";
import { jsonReader } from "../input/json-body.js";
import type { WebSocketLimitPlan } from "../plan/web-socket-limits.js";
import { Refusal, refusedBy } from "../refusal/refusal.js";
import type { CircuitContext } from "../request/circuit-context.js";
import type { Connection } from "./connection.js";
import {
  type ConnectionAxon,
  ConnectionCircuit,
  type ConnectionRun,
  isAborted,
} from "./connection-circuit.js";
import { frameOf, messageOf, problemIn } from "./frame.js";
import type { Turns } from "./turns.js";

const TIMED_OUT = new Refusal("ROUTE_TIMEOUT", { detail: "The message took too long" });

export class MessageCircuit extends ConnectionCircuit {
  readonly #read: MessageReader;
  readonly #serialise: Serialise;
  readonly #limits: WebSocketLimitPlan;
  readonly #route: string;
  /** The connection whose message is running. `#behind` is called after it. */
  #running: Connection | null = null;
  #behind: (() => void) | null = null;

  constructor(
    message: ConnectionAxon,
    read: MessageReader,
    limits: WebSocketLimitPlan,
    context: CircuitContext,
  ) {
    super(message, context);
    this.#read = read;
    this.#limits = limits;
    this.#route = message.route;
    this.#serialise = serialiserOf(message.axon);
  }

  /** The memory of `message` belongs to the engine. */
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    const { turns } = connection;
    if (turns?.isFinishing === true) return;
    if (turns === null || (turns.messages < this.#limits.concurrency && turns.length === 0)) {
      this.#begin(connection, Buffer.from(message), isBinary);
    } else if (!turns.push({ data: Buffer.from(message.slice(0)), isBinary }, this.#limits)) {
      connection.unfinished += 1;
      connection.close(1008, "Too many messages wait");
    }
  }

  /** Calls `then` after the running message of this connection, or at once if none is running. */
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
      this.program.watch?.unentered(refusedBy(input), connection);
      connection.sendProblem(input.problem);
      return;
    }
    if (!this.run(connection, input, this.#settled, this.#traceOf(connection, data.length))) return;
    const turns = connection.turns as Turns;
    turns.messages += 1;
    // The connection's own run has closed it before it was in `turns`.
    if (!connection.isOpen && !turns.isFinishing) turns.end();
  }

  /** Undefined if the message is not sampled. */
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
    while (turns.messages < this.#limits.concurrency) {
      const next = turns.shift();
      if (next === undefined) break;
      this.#begin(connection, next.data, next.isBinary);
    }
    if (turns.pending + turns.runs.size === 0) connection.turns = null;
    turns.settle();
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
    const cause = mappedReport(fault);
    if (cause !== undefined) this.report(run, cause);
    if (error instanceof Refusal) {
      connection.sendProblem(error.problem);
      return error.problem.status;
    }
    const answer = faultAnswer(error, this.context.production);
    noteAnswer(fault, connection.requestId, answer);
    if (answer instanceof Reply) {
      // The output schema would drop properties of a fault.
      if (connection.isOpen) this.#answer(run, answer, anyJson);
      return answer.status;
    }
    const { problem, report } = answer;
    if (report !== undefined) this.report(run, report);
    // A step that threw may have left the connection's state inconsistent.
    if (report !== undefined && isPanic(error)) connection.close(1011, "Internal server error");
    else connection.sendProblem(problem);
    return problem.status;
  }
}

const isPanic = (error: unknown): error is TransitionPanic =>
  isRuntimeFault(error) && error.code === "TRANSITION_PANIC";

export class CloseCircuit extends ConnectionCircuit {
  begin(connection: Connection, end: WebSocketClose): void {
    try {
      this.run(connection, end, () => {});
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

/** Returns the input or a Refusal. The memory of `data` belongs to the engine. */
export type MessageReader = (data: Buffer, isBinary: boolean) => unknown;

/** From this size on, a check for ASCII is cheaper than decoding UTF-8. */
const LOOKED_AT_FROM_BYTES = 4096;

/** The engine has checked that text is UTF-8. */
const readPlain: MessageReader = (data, isBinary) => {
  if (isBinary) return new Uint8Array(data);
  return data.toString(data.length >= LOOKED_AT_FROM_BYTES && isAscii(data) ? "latin1" : "utf8");
};

/** With a schema, messages are JSON in text or binary frames. Throws SCHEMA_INVALID. */
export function messageReader(schema: TSchema | undefined, owner: string): MessageReader {
  if (schema === undefined) return readPlain;
  return jsonReader(schema, `${owner}, messages`);
}
