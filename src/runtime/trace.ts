// One traced run: its Timeline while it is written, and its recorder, which is told.
//
//   T1. A recorder's failure is reported, and is no failure of the run.
//   T2. Whatever is entered is left: what is still open when the run ends is closed then.
//   T3. A Timeline holds MAX_EVENTS; what more there is is counted.
//   T4. A recorder is told of nothing behind the run's end, but of its answer, once.

import { randomBytes } from "node:crypto";

import type { Clock } from "#core/clock.js";
import type {
  BusAccess,
  Recorder,
  RunAnswer,
  TracedRequest,
  TracedRun,
  WatchedCircuit,
} from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { NodeOutcome, TimelineEvent } from "#core/timeline.js";
import { pendingOf } from "./answers.js";
import type { Instruction } from "./instruction.js";
import type { Journal } from "./journal.js";
import { RunControl } from "./run-control.js";
import type { AnswerListener, RunOrigin } from "./run-origin.js";
import type { RunState } from "./run-state.js";

/** A jump loop of a thousand rounds over five nodes just fits. */
const MAX_EVENTS = 10_000;

/** A node that was entered and not yet left. */
export interface Visit {
  readonly node: string;
  readonly input: unknown;
  readonly state: RunState;
  readonly at_us: number;
  /** Whether it is a layer: what fails inside it has failed there. */
  readonly isLayer: boolean;
}

interface Written {
  readonly axon: string;
  readonly version: string;
  readonly started_at: number;
  readonly events: TimelineEvent[];
  dropped: number;
}

/** What the traced runs of a program share. */
export interface Tracing {
  readonly circuit: WatchedCircuit;
  /** The instructions of the traced variant. */
  readonly code: readonly Instruction[];
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Undefined where its runs are none of an ingress. */
  readonly origin: RunOrigin | undefined;
}

/** Tells the runs of this process from those of others. */
const PROCESS = randomBytes(5).toString("hex");

/** `Omit` that keeps a union one. */
type Untimed<E> = E extends unknown ? Omit<E, "at_us"> : never;

export class Trace implements TracedRun, AnswerListener {
  static #last = 0;
  readonly id: number;
  readonly timeline: Written;
  /** The node that was left with a fault, and its input; undefined once the run has gone on. */
  failed: Visit | undefined;
  /** The run's log, which the line inside layers has. */
  journal: Journal | undefined;
  /** Whether its recorder is asked before each node. */
  readonly holds: boolean;
  /** Whether it is told what a node answered, and what it does on the Bus. */
  readonly tellsAfter: boolean;
  readonly tellsAccess: boolean;
  // In the order in which they were entered.
  readonly #open: Visit[] = [];
  /** When the last node was left, for the one that is entered at once; -1 where something came between. */
  #left = -1;
  readonly #tracing: Tracing;
  readonly #recorder: Recorder;
  readonly #clock: Clock;
  readonly #began: number;
  /** The run's own, not a fork's. */
  readonly #state: RunState;
  /** What its request is made known from: the state is given back before the answer is told of. */
  readonly #source: unknown;
  #request: TracedRequest | undefined;
  #runId = "";
  /** What became of its request before it was over. */
  #answer: RunAnswer | undefined;
  #over = false;

  constructor(tracing: Tracing, state: RunState) {
    Trace.#last += 1;
    this.id = Trace.#last;
    const { circuit, recorder, clock, origin } = tracing;
    this.timeline = {
      axon: circuit.name,
      version: circuit.version,
      started_at: Date.now(),
      events: [],
      dropped: 0,
    };
    this.#tracing = tracing;
    this.#recorder = recorder;
    this.holds = recorder.beforeNode !== undefined;
    this.tellsAfter = recorder.afterNode !== undefined;
    this.tellsAccess = recorder.busAccess !== undefined;
    this.#state = state;
    this.#source = state.request;
    this.#clock = clock;
    this.#began = clock.now();
    if (recorder.answered !== undefined) origin?.follow?.(state.request, this);
  }

  get circuit(): WatchedCircuit {
    return this.#tracing.circuit;
  }

  get code(): readonly Instruction[] {
    return this.#tracing.code;
  }

  get runId(): string {
    if (this.#runId === "") this.#runId = `${PROCESS}-${this.id.toString(36)}`;
    return this.#runId;
  }

  get request(): TracedRequest | undefined {
    this.#request ??= this.#tracing.origin?.requestOf(this.#source);
    return this.#request;
  }

  abort(reason: unknown): void {
    // A state that was given back is another run's by now.
    if (this.#over) return;
    this.#state.control ??= new RunControl();
    this.#state.control.abort(reason);
  }

  /** What to go on with, or a promise of it that holds the run (T1). */
  before(node: string, input: unknown): unknown {
    const { beforeNode } = this.#recorder;
    if (beforeNode === undefined) return input;
    const failed = (error: unknown): unknown => {
      this.#report("beforeNode", error);
      return input;
    };
    try {
      const replaced = beforeNode.call(this.#recorder, this, node, input);
      const held = pendingOf(replaced);
      if (held === undefined) return replaced;
      const paused = this.#now();
      return held.then((settled) => {
        this.tell({ kind: "node_paused", node, held_us: this.#now() - paused });
        return settled;
      }, failed);
    } catch (error) {
      return failed(error);
    }
  }

  enter(node: string, input: unknown, state: RunState, isLayer = false): Visit {
    // The clock is most of what tracing costs.
    const at_us = this.#left < 0 ? this.#now() : this.#left;
    this.pass();
    const visit = { node, input, state, at_us, isLayer };
    this.#open.push(visit);
    this.#add({ kind: "node_enter", node, at_us });
    return visit;
  }

  /** `answer` is what the node answered, or what has ended around it. */
  leave(visit: Visit, outcome: NodeOutcome, answer: unknown): void {
    const at = this.#open.lastIndexOf(visit);
    if (at < 0) return;
    if (at === this.#open.length - 1) this.#open.pop();
    else this.#open.splice(at, 1);
    const at_us = this.#now();
    this.#left = at_us;
    const { node } = visit;
    this.#add({ kind: "node_exit", node, at_us, outcome, duration_us: at_us - visit.at_us });
    visit.state.due().lastLeft = visit;
    if (outcome === "fault") this.failed = visit.isLayer ? (this.failed ?? visit) : visit;
    else if (outcome !== "aborted") this.failed = undefined;
    if (this.tellsAfter) this.#after(node, answer);
  }

  #after(node: string, answer: unknown): void {
    const { afterNode } = this.#recorder;
    this.#guarded("afterNode", () => afterNode?.call(this.#recorder, this, node, answer));
  }

  /** A node has read, written or deleted a value of the Bus (T4). */
  access(node: string, access: BusAccess, key: string, value: unknown): void {
    if (this.#over) return;
    const { busAccess } = this.#recorder;
    this.#guarded("busAccess", () => busAccess?.call(this.#recorder, this, node, access, key, value));
  }

  /** Something came after the last node was left: what is entered next looks at the clock itself. */
  pass(): void {
    this.#left = -1;
  }

  /** What has to be there for a node could not be made: the run fails at that node. */
  failBefore(node: string, input: unknown, state: RunState): void {
    this.failed = { node, input, state, at_us: this.#now(), isLayer: false };
  }

  /** The answer of the last node that a state has left is what ends its run. */
  failLast(state: RunState): void {
    this.failed = state.duties.lastLeft ?? undefined;
  }

  /** Leaves the last node of this name that a state is in. */
  leaveNode(node: string, state: RunState, answer: unknown): void {
    const visit = this.#open.findLast((open) => open.node === node && open.state === state);
    if (visit !== undefined) this.leave(visit, "next", answer);
  }

  /** Leaves what a state is still in, innermost first (T2). */
  leaveAll(state: RunState | undefined, outcome: NodeOutcome, answer: unknown): void {
    const failed = this.failed;
    for (const visit of [...this.#open].reverse())
      if (state === undefined || visit.state === state) this.leave(visit, outcome, answer);
    // The nodes around a step that failed are not where it failed.
    if (failed !== undefined) this.failed = failed;
  }

  tell(event: Untimed<TimelineEvent>): void {
    this.pass();
    this.#add({ ...event, at_us: this.#now() } as TimelineEvent);
  }

  /** The run is over. */
  end(outcome: unknown, aborted: boolean): void {
    this.leaveAll(undefined, aborted ? "aborted" : "fault", outcome);
    this.#over = true;
    const { ended } = this.#recorder;
    if (ended !== undefined) this.#guarded("ended", () => ended.call(this.#recorder, this, outcome));
    if (this.#answer !== undefined) this.#tellAnswer(this.#answer);
  }

  /** Its request is answered: before it is over where nobody waited for it (T4). */
  answered(answer: RunAnswer): void {
    if (this.#over) this.#tellAnswer(answer);
    else this.#answer = answer;
  }

  #tellAnswer(answer: RunAnswer): void {
    const { answered } = this.#recorder;
    this.#guarded("answered", () => answered?.call(this.#recorder, this, answer));
  }

  #add(event: TimelineEvent): void {
    if (this.#over) return;
    const { events } = this.timeline;
    if (events.length < MAX_EVENTS) events.push(event);
    else this.timeline.dropped += 1;
    const told = this.#recorder.event;
    if (told !== undefined) this.#guarded("event", () => told.call(this.#recorder, this, event));
  }

  #guarded(call: string, tell: () => unknown): void {
    guarded(tell, (error) => this.#report(call, error));
  }

  #now(): number {
    return Math.round((this.#clock.now() - this.#began) * 1000);
  }

  #report(call: string, error: unknown): void {
    const message = `The recorder's ${call} failed; the run goes on`;
    this.#tracing.reporter({ code: "RECORDER_FAILED", message, axon: this.circuit.name, error });
  }
}

/** Calls what must not harm whoever calls it: what it throws or rejects with goes to `failed`. */
export function guarded(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    pendingOf(call())?.catch(failed);
  } catch (error) {
    failed(error);
  }
}
