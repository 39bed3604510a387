// An Axon compiled for what happens on a connection: its messages, its end. Its runs know of
// the request that the connection began with what `open` had on its Bus, and no more.

import { fault, isFault } from "#core/outcome.js";
import type { Report } from "#core/reporter.js";
import { runtimeFault } from "#core/runtime-fault.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { missingKeys } from "#runtime/definite-assignment.js";
import type { Instruction } from "#runtime/instruction.js";
import { Program } from "#runtime/program.js";
import type { RunState } from "#runtime/run-state.js";
import type { MessageTrace } from "#telemetry/tracing/message-trace.js";
import { abortRun } from "../abort-run.js";
import type { CircuitContext } from "../circuit-context.js";
import { type DisposalCount, disposal } from "../disposal.js";
import type { ConnectionSupply } from "../ingress-supply.js";
import { Deadline, type Deadlines } from "../native/deadlines.js";
import { noParticulars, Particulars } from "../particulars.js";
import { runKept } from "../request-traces.js";
import { connectionOrigin } from "../traced-requests.js";
import type { Connection } from "./connection.js";
import { Turns } from "./turns.js";

export interface ConnectionAxon {
  /** The pattern of its route. */
  readonly route: string;
  readonly axon: AxonDefinition;
  readonly supply: ConnectionSupply;
  readonly timeoutMs: number;
  /** Whether its input was checked against its own schema. */
  readonly inputChecked: boolean;
}

/** What a run has as its request: the connection itself where it needs nothing of its own. */
export interface ConnectionRun {
  readonly connection: Connection;
  readonly input: unknown;
}

/** Stands for its connection in a run that has something to be disposed of. */
class OwnRun implements ConnectionRun {
  readonly connection: Connection;
  /** Behind what disposes: a layer hands no input on. */
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

const ABORTED = fault(runtimeFault({ code: "RUN_ABORTED", reason: new Error("Nobody waits for the run") }));

/**
 * A run that waits, and is over for its connection when it has ended, when its time is up or
 * when the connection is gone, whichever comes first: a step that hears no signal goes on.
 */
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
  protected readonly context: CircuitContext;
  #waiting = 0;
  readonly #disposing: DisposalCount = { count: 0 };
  readonly program: Program;
  readonly #disposes: boolean;
  readonly #timeouts: Deadlines;

  /** Throws what makes the Axon impossible to run. */
  constructor(connections: ConnectionAxon, context: CircuitContext) {
    const { axon, supply, timeoutMs, inputChecked, route } = connections;
    const { production, reporter, recorder } = context;
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
      ownBus: true,
    });
    this.missing = missingKeys(axon.name, this.program.code, supply.given);
    this.#timeouts = context.deadlines.of(timeoutMs);
  }

  get name(): string {
    return this.program.name;
  }

  /** How many of its runs wait for a promise, or have left something to be disposed of. */
  get waiting(): number {
    return Math.max(this.#waiting, this.#disposing.count);
  }

  /** Which of these keys its steps need, however it goes: without one of them something would be missing. */
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

  /**
   * What a run has come to: at once, or after it has waited. Answers the status that HTTP has
   * for what the peer is told; 0 where nobody is told.
   */
  protected abstract ended(run: ConnectionRun, outcome: unknown, isLate: boolean): number;

  /** Runs it. Says whether the run waits; `settled` is called when it has ended then. */
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
      // Also where the framework itself fails: who called reports that.
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

  /** The framework itself has failed: nothing is known of the connection any more. Never throws. */
  failed(run: ConnectionRun, error: unknown): void {
    const message = "The framework failed while it ran what a WebSocket asked for";
    this.report(run, { code: "INGRESS_FAILED", message, error });
    run.connection.close(1011, "Internal server error");
  }

  protected report(run: ConnectionRun, report: Report): void {
    this.context.reporter({ ...report, axon: this.name, requestId: run.connection.requestId });
  }
}

/** Whether a run was ended because nobody waits for it. */
export const isAborted = (outcome: unknown): boolean =>
  isFault(outcome) && (outcome.error as { readonly code?: unknown } | null)?.code === "RUN_ABORTED";
