// An Axon compiled for the messages of a connection, or for its end. Its runs read the handshake from
// the values that `open` had on its Bus.

import { fault, isFault } from "#core/bus/outcome.js";
import type { Report } from "#core/bus/reporter.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { Program } from "#runtime/compile/program.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { Instruction } from "#runtime/run/instruction.js";
import type { RunState } from "#runtime/run/run-state.js";
import type { MessageTrace } from "#telemetry/tracing/message-trace.js";
import { noParticulars, Particulars } from "../exchange/particulars.js";
import { Deadline, type Deadlines } from "../native/deadlines.js";
import { requestBoundKeys } from "../request/checks/request-bound-keys.js";
import type { CircuitContext } from "../request/circuit-context.js";
import { type DisposalCount, disposal } from "../request/disposal.js";
import type { ConnectionSupply } from "../request/ingress-supply.js";
import { connectionOrigin, runKept } from "../request/request-traces.js";
import { abortRun } from "../request/suspended-run.js";
import type { Connection } from "./connection.js";
import { Turns } from "./turns.js";

export interface ConnectionAxon {
  readonly route: string;
  readonly axon: AxonDefinition;
  readonly supply: ConnectionSupply;
  readonly timeoutMs: number;
  readonly inputChecked: boolean;
}

/** The request of a run: the connection itself, unless the run has disposals. */
export interface ConnectionRun {
  readonly connection: Connection;
  readonly input: unknown;
}

class OwnRun implements ConnectionRun {
  readonly connection: Connection;
  /** Input for the step inside the disposal layer: a layer passes no input on. */
  readonly input: unknown;
  particulars: Readonly<Particulars> = noParticulars;

  constructor(connection: Connection, input: unknown) {
    this.connection = connection;
    this.input = input;
  }

  get requestId(): string {
    return this.connection.requestId;
  }

  own(): Particulars {
    if (this.particulars === noParticulars) this.particulars = new Particulars();
    return this.particulars;
  }
}

const OWN_INPUT: Instruction["step"] = { run: (_, { state }) => (state.request as OwnRun).input };

const ABORTED = fault(
  runtimeFault({ code: "RUN_ABORTED", reason: new Error("The run is no longer needed") }),
);

/** A pending run. For its connection it is over at its end, its time-out or the connection's end. A step that ignores the signal continues. */
class WaitingRun extends Deadline {
  readonly #state: RunState;
  readonly #conclude: (outcome: unknown, isLate: boolean) => void;
  #isOver = false;

  constructor(state: RunState, conclude: (outcome: unknown, isLate: boolean) => void) {
    super();
    this.#state = state;
    this.#conclude = conclude;
  }

  expire(): void {
    abortRun(this.#state, new Error("The time of the run is up"));
    this.conclude(ABORTED, true);
  }

  abort(reason: unknown): void {
    abortRun(this.#state, reason);
    this.conclude(ABORTED);
  }

  conclude(outcome: unknown, isLate = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#conclude(outcome, isLate);
  }
}

export abstract class ConnectionCircuit {
  readonly missing: readonly string[];
  readonly unkept: readonly string[];
  protected readonly context: CircuitContext;
  #waiting = 0;
  readonly #disposing: DisposalCount = { count: 0 };
  readonly program: Program;
  readonly #disposes: boolean;
  readonly #timeouts: Deadlines;

  constructor(connections: ConnectionAxon, context: CircuitContext) {
    const { axon, supply, timeoutMs, inputChecked, route } = connections;
    const { production, reporter, recorder, kept } = context;
    this.context = context;
    this.#disposes = supply.disposes;
    this.program = new Program(axon, {
      ...supply,
      production,
      reporter,
      inputChecked,
      ...(supply.disposes && {
        input: OWN_INPUT,
        around: [disposal(axon.name, reporter, this.#disposing)],
      }),
      ...(recorder && { recorder }),
      origin: connectionOrigin(route),
      isTold: context.tracing !== undefined,
      owner: kept?.host,
      ownBus: true,
    });
    this.missing = missingKeys(axon.name, this.program.code, supply.given);
    this.unkept = requestBoundKeys(axon, this.program, supply);
    this.#timeouts = context.deadlines.of(timeoutMs);
  }

  get name(): string {
    return this.program.name;
  }

  /** Number of runs awaiting a promise or a disposal. */
  get waiting(): number {
    return Math.max(this.#waiting, this.#disposing.count);
  }

  /** The kept keys that a step of the Axon requires. */
  needed(axon: AxonDefinition, { given, kept }: ConnectionSupply): ReadonlySet<(typeof kept)[number]> {
    const { code } = this.program;
    const lines = this.missing.length;
    const isNeeded = (key: (typeof kept)[number]): boolean =>
      missingKeys(
        axon.name,
        code,
        given.filter((other) => other !== key),
      ).length > lines;
    return new Set(kept.filter(isNeeded));
  }

  /** Returns the HTTP status of the outcome that is sent to the peer; 0 if nothing is sent. */
  protected abstract ended(run: ConnectionRun, outcome: unknown, isLate: boolean): number;

  /** Returns true if the run awaits a promise. `settled` is called at its end then. */
  protected run(
    connection: Connection,
    input: unknown,
    settled: (connection: Connection) => void,
    kept?: MessageTrace,
  ): boolean {
    const state = this.program.acquire();
    const request = this.#disposes ? new OwnRun(connection, input) : connection;
    state.request = request;
    const outcome = kept === undefined ? this.program.run(input, state) : this.#runKept(kept, input, state);
    if (!(outcome instanceof Promise)) {
      this.#conclude(request, outcome, false, kept);
      return false;
    }
    this.#wait(request, state, outcome, settled, kept);
    return true;
  }

  #conclude(run: ConnectionRun, outcome: unknown, isLate: boolean, kept: MessageTrace | undefined): void {
    if (kept === undefined) {
      this.ended(run, outcome, isLate);
      return;
    }
    let status = 500;
    try {
      status = this.ended(run, outcome, isLate);
    } finally {
      // Also if this throws: the caller reports the error.
      kept.end(status);
    }
  }

  #runKept(kept: MessageTrace, input: unknown, state: RunState): unknown {
    try {
      return runKept(kept, this.program, input, state);
    } catch (error) {
      kept.end(500);
      throw error;
    }
  }

  #wait(
    run: ConnectionRun,
    state: RunState,
    outcome: Promise<unknown>,
    settled: (connection: Connection) => void,
    kept: MessageTrace | undefined,
  ): void {
    const { connection } = run;
    connection.turns ??= new Turns();
    const { runs } = connection.turns;
    const waiting = new WaitingRun(state, (ending, isLate) => {
      runs.delete(waiting);
      this.#timeouts.remove(waiting);
      try {
        this.#conclude(run, ending, isLate, kept);
        settled(connection);
      } catch (error) {
        this.failed(run, error);
      }
    });
    this.#waiting += 1;
    runs.add(waiting);
    this.#timeouts.append(waiting);
    outcome.then(
      (later) => {
        this.#waiting -= 1;
        waiting.conclude(later);
      },
      (error) => {
        this.#waiting -= 1;
        waiting.conclude(ABORTED);
        this.failed(run, error);
      },
    );
  }

  /** Closes the connection after a failure of the framework, because its state is unknown. Never throws. */
  failed(run: ConnectionRun, error: unknown): void {
    const message = "The framework failed while it ran what a WebSocket asked for";
    this.report(run, { code: "INGRESS_FAILED", message, error });
    run.connection.close(1011, "Internal server error");
  }

  protected report(run: ConnectionRun, report: Report): void {
    this.context.reporter({ ...report, axon: this.name, requestId: run.connection.requestId });
  }
}

export const isAborted = (outcome: unknown): boolean =>
  isFault(outcome) && (outcome.error as { readonly code?: unknown } | null)?.code === "RUN_ABORTED";
