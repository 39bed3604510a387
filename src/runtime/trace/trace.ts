// One traced run: writes its Timeline and notifies its recorder. An error of the recorder is
// reported and does not fail the run. After the run's end the recorder gets only the response.
// Every node that is entered is left, at the end of the run at the latest.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { RunLabels } from "#core/bus/label.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { isWaiting } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import type { InnerSpan, InnerStart } from "#core/timeline/inner-span.js";
import { ACCESSES, RecordedTimeline } from "#core/timeline/recorded-timeline.js";
import type {
  BusAccess,
  NodeSpan,
  Recorder,
  RequestParts,
  ResponseParts,
  RunAnswer,
  TracedRequest,
  TracedRun,
  WatchedCircuit,
} from "#core/timeline/recorder.js";
import type { NodeOutcome, TimelineEvent, WaitReason } from "#core/timeline/timeline.js";
import { isPlain, pendingOf } from "../run/answers.js";
import { END, type Instruction } from "../run/instruction.js";
import { RunControl } from "../run/run-control.js";
import { nextRunNumber, runIdOf } from "../run/run-id.js";
import type { RunJournal } from "../run/run-journal.js";
import type { RunState } from "../run/run-state.js";
import type { RunTrace, TimedLine, Untimed, Visit } from "../run/run-trace.js";
import { identityOf } from "../run/subject.js";
import { OpenWaits } from "./open-waits.js";
import type { AnswerListener, Tracing } from "./tracing.js";
import { closeVisit, visitAround } from "./tracing.js";

const NONE: Visit<RunState>[] = [];
/** Replaces a Timeline that was returned to the pool. */
const NOTHING = new RecordedTimeline("", "", 0);

export class Trace implements RunTrace<RunState>, TracedRun, AnswerListener {
  readonly id: number;
  /** Its Timeline. Reused by another run after this one is reported, unless it was read as `timeline`. */
  notes: RecordedTimeline;
  /** The node that was left with a fault, and its input; undefined once the run has continued. */
  failed: Visit<RunState> | undefined;
  /** The log of the run; inside layers, the line's state has it. */
  journal: RunJournal<RunState> | undefined;
  // In order of entry; most runs use a generated line, which has none.
  #open: Visit<RunState>[] = NONE;
  /** Time at which the last node was left, reused for the next one; -1 if other work ran between them. */
  #left = -1;
  readonly #tracing: Tracing;
  readonly #recorder: Recorder;
  // Read once: recorders come and go.
  readonly #beforeNode: Recorder["beforeNode"];
  readonly #afterNode: Recorder["afterNode"];
  readonly #busAccess: Recorder["busAccess"];
  readonly #event: Recorder["event"];
  readonly #span: Recorder["span"];
  readonly #tellsVisits: boolean;
  readonly #notesAccesses: boolean;
  readonly #clock: Clock;
  readonly #began: number;
  /** The run's own state, not a fork's. */
  readonly #state: RunState;
  /** The source of request facts: the state is released before the response is reported. */
  readonly #source: unknown;
  #request: TracedRequest | undefined;
  #runId = "";
  /** How the request was answered before the run was over. */
  #answer: RunAnswer | undefined;
  /** Where it is suspended: the instruction, the event of its node if the line waits, the callback if not. */
  #suspendedAt = END;
  #waitingEvent = -1;
  #goOn: ((answer: unknown) => void) | null = null;
  #over = false;
  #labels: RunLabels | null = null;
  /** True if the response is reported after the run's end. */
  readonly #awaitsAnswer: boolean;
  #isSeen = false;
  #waits: OpenWaits | undefined;
  /** The latest answer found to be not pending; undefined once the loop has used it. */
  #plain: unknown;

  constructor(tracing: Tracing, state: RunState, id = nextRunNumber()) {
    this.id = id;
    const { circuit, recorder, clock, origin } = tracing;
    this.notes = RecordedTimeline.begin(circuit.name, circuit.version, Date.now(), tracing.names);
    this.#tracing = tracing;
    this.#recorder = recorder;
    this.#beforeNode = recorder.beforeNode;
    this.#afterNode = recorder.afterNode;
    this.#busAccess = recorder.busAccess;
    this.#event = recorder.event;
    this.#span = recorder.span;
    this.#tellsVisits = recorder.event !== undefined && recorder.visits !== false;
    this.#notesAccesses = recorder.notesAccesses === true;
    this.#state = state;
    this.#source = state.request;
    this.#clock = clock;
    this.#began = clock.now();
    const follow = recorder.answered === undefined ? undefined : origin?.follow;
    this.#awaitsAnswer = follow !== undefined;
    follow?.(state.request, this);
  }

  begin(): void {
    // Its first node is entered as the run begins.
    this.#left = 0;
    const { begun } = this.#recorder;
    if (begun === undefined) return;
    try {
      this.#settle("begun", begun.call(this.#recorder, this));
    } catch (error) {
      this.#report("begun", error);
    }
  }

  get circuit(): WatchedCircuit {
    return this.#tracing.circuit;
  }

  get code(): readonly Instruction[] {
    return this.#tracing.code;
  }

  get timeline(): RecordedTimeline {
    this.#isSeen = true;
    return this.notes;
  }

  get runId(): string {
    this.#runId ||= runIdOf(this.id);
    return this.#runId;
  }

  get request(): TracedRequest | undefined {
    this.#request ??= this.#tracing.origin?.requestOf(this.#source);
    return this.#request;
  }

  get requestParts(): RequestParts | undefined {
    return this.#tracing.origin?.partsOf?.(this.#source);
  }

  get identity(): string | undefined {
    // A released state may belong to another run by now.
    const isOwn = this.#source !== undefined && this.#state.request === this.#source;
    return isOwn ? identityOf(this.#state) : undefined;
  }

  get responseParts(): ResponseParts | undefined {
    return this.#tracing.origin?.responseOf?.(this.#source);
  }

  get labels(): RunLabels | undefined {
    return (this.#over ? this.#labels : this.#state.duties.labels) ?? undefined;
  }

  abort(reason: unknown): void {
    // A released state may belong to another run by now.
    if (this.#over) return;
    this.#state.control ??= new RunControl();
    this.#state.control.abort(reason);
  }

  /** True if the run's end is reported to an observer, which may know the run by its id from then on. */
  get isWatched(): boolean {
    return this.#recorder.ended !== undefined;
  }

  /** True if its recorder is asked before each node. */
  get holds(): boolean {
    return this.#beforeNode !== undefined;
  }

  /** True if the recorder gets each node's answer. */
  get tellsAfter(): boolean {
    return this.#afterNode !== undefined || this.#span !== undefined;
  }

  /** True if a node has its own view of the Bus: its accesses are reported or noted, or it has a span. */
  get hasViews(): boolean {
    return this.#notesAccesses || this.#busAccess !== undefined || this.#span !== undefined;
  }

  /** The generated line in which it may resume at an instruction; undefined for the loop. */
  lineAt(at: number): TimedLine<RunState> | undefined {
    const { line } = this.#tracing;
    if (line === undefined || this.#tellsVisits || this.holds || this.tellsAfter) return undefined;
    return at >= 0 && at < line.length && !this.#over ? line : undefined;
  }

  /** Time at which the last node was left. */
  get left_us(): number {
    return this.#left;
  }

  /** Time at which the next node is entered: reading the clock is most of the cost of tracing. */
  get entered_us(): number {
    const at_us = this.#left < 0 ? this.now_us : this.#left;
    this.pass();
    return at_us;
  }

  /** The generated line was left inside a node, which it had entered with this event. */
  open(node: string, state: RunState, entered: number, at_us: number): Visit<RunState> {
    // A recorder that gets inputs is asked before nodes, and its runs use no generated line.
    const visit: Visit<RunState> = {
      node,
      input: undefined,
      state,
      at_us,
      isLayer: false,
      entered,
      span: undefined,
    };
    this.#push(visit);
    return visit;
  }

  #push(visit: Visit<RunState>): void {
    if (this.#open === NONE) this.#open = [visit];
    else this.#open.push(visit);
  }

  /**
   * The input to continue with, or a promise of it that holds the run: a native promise, never the
   * input itself. An input may be a thenable, which only a step of the program may run.
   */
  before(node: string, input: unknown): unknown {
    const beforeNode = this.#beforeNode;
    if (beforeNode === undefined) return input;
    const failed = (error: unknown): unknown => {
      this.#report("beforeNode", error);
      return input;
    };
    try {
      const replaced = beforeNode.call(this.#recorder, this, node, input);
      if (replaced === input || !(replaced instanceof Promise)) return replaced;
      const paused = this.now_us;
      return replaced.then((settled) => {
        this.tell({ kind: "node_paused", node, held_us: this.now_us - paused });
        return settled;
      }, failed);
    } catch (error) {
      return failed(error);
    }
  }

  enter(node: string, input: unknown, state: RunState, isLayer = false): Visit<RunState> {
    const at_us = this.entered_us;
    const entered = this.#over ? -1 : this.notes.enterNamed(node, at_us);
    const span = this.#span === undefined || this.#over ? undefined : this.#beginSpan(node, state, at_us);
    const visit: Visit<RunState> = { node, input, state, at_us, isLayer, entered, span };
    this.#push(visit);
    if (this.#tellsVisits && !this.#over) this.#tellEvent({ kind: "node_enter", node, at_us });
    return visit;
  }

  #beginSpan(node: string, state: RunState, at_us: number): NodeSpan | undefined {
    try {
      return this.#span?.call(this.#recorder, this, node, visitAround(this.#open, state)?.span, at_us);
    } catch (error) {
      this.#report("span", error);
      return undefined;
    }
  }

  /** `answer` is what the node returned, or the outcome that ended around it. */
  leave(visit: Visit<RunState>, outcome: NodeOutcome, answer: unknown): void {
    if (!closeVisit(this.#open, visit)) return;
    const at_us = this.now_us;
    this.#left = at_us;
    const { node, entered } = visit;
    if (!this.#over) this.notes.exit(entered, at_us, outcome);
    if (this.#tellsVisits && !this.#over)
      this.#tellEvent({ kind: "node_exit", node, at_us, outcome, duration_us: at_us - visit.at_us });
    visit.span?.left(outcome, answer, at_us);
    visit.state.due().lastLeft = visit;
    if (outcome === "fault") this.failed = visit.isLayer ? (this.failed ?? visit) : visit;
    else if (outcome !== "aborted") this.failed = undefined;
    if (this.#afterNode !== undefined) this.#tellAfter(node, answer);
  }

  #tellAfter(node: string, answer: unknown): void {
    try {
      this.#settle("afterNode", this.#afterNode?.call(this.#recorder, this, node, answer));
    } catch (error) {
      this.#report("afterNode", error);
    }
  }

  /** A node has read, written or deleted a value of the Bus. */
  access(node: number, access: number, key: AnyKey, value: unknown): void {
    if (this.#over) return;
    if (this.#notesAccesses) this.notes.access(node, access, key.name);
    const { toldSlots } = this.#tracing;
    if (this.#busAccess !== undefined && (toldSlots === undefined || toldSlots[key.slot] === 1))
      this.#tellAccess(node, access, key.name, value);
  }

  #tellAccess(node: number, access: number, key: string, value: unknown): void {
    const [name, did] = [this.#tracing.names.node(node), ACCESSES[access] as BusAccess];
    try {
      this.#settle("busAccess", this.#busAccess?.call(this.#recorder, this, name, did, key, value));
    } catch (error) {
      this.#report("busAccess", error);
    }
  }

  /** A step returned this answer, which is not pending: the loop need not test it again. */
  foundPlain(answer: unknown): void {
    this.#plain = answer;
  }

  /** As `isPlain`, for the latest answer to `input` (L3). A mark passes on an answer that was already tested. */
  isPlain(answer: unknown, input: unknown, isMark: boolean): boolean {
    const found = this.#plain;
    this.#plain = undefined;
    return found === answer || (isMark && answer === input) || isPlain(answer);
  }

  suspend(goOn: (answer: unknown) => void): void {
    this.#goOn = goOn;
  }

  /** `entered` is the event of the node that its generated line waits in; -1 if the loop waits. */
  suspendedAt(at: number, entered = -1): void {
    this.#suspendedAt = at;
    this.#waitingEvent = entered;
  }

  /** The event that entered the node that its line waits in. */
  get waitingEvent(): number {
    return this.#waitingEvent;
  }

  /** The line that waits; undefined if the loop waits. */
  get waitingLine(): TimedLine<RunState> | undefined {
    return this.#waitingEvent < 0 ? undefined : this.#tracing.line;
  }

  /** Microseconds since the run began. */
  get now_us(): number {
    return Math.round((this.#clock.now() - this.#began) * 1000);
  }

  /** The suspended node has settled. Returns its instruction. */
  goOn(answer: unknown): number {
    const goOn = this.#goOn;
    this.#goOn = null;
    goOn?.(answer);
    return this.#suspendedAt;
  }

  /** Leaves the node that the line was suspended in. Returns the time. */
  leaveInLine(): number {
    this.#left = this.now_us;
    return this.#left;
  }

  /** Other work ran after the last node was left: the next entry reads the clock itself. */
  pass(): void {
    this.#left = -1;
  }

  /** A value that a node needs could not be made: the run fails at that node. */
  failBefore(node: string, input: unknown, state: RunState): void {
    this.failed = { node, input, state, at_us: this.now_us, isLayer: false, entered: -1, span: undefined };
  }

  /** The answer of the last node that a state has left ends its run. */
  failLast(state: RunState): void {
    this.failed = state.duties.lastLeft ?? undefined;
  }

  /** Leaves the last node of this name that a state is in. */
  leaveNode(node: string, state: RunState, answer: unknown): void {
    const visit = this.#open.findLast((open) => open.node === node && open.state === state);
    if (visit !== undefined) this.leave(visit, "next", answer);
  }

  /** Leaves the nodes that a state is still in, innermost first. */
  leaveAll(state: RunState | undefined, outcome: NodeOutcome, answer: unknown): void {
    const failed = this.failed;
    for (const visit of [...this.#open].reverse())
      if (state === undefined || visit.state === state) this.leave(visit, outcome, answer);
    // The nodes around a failed step did not fail themselves.
    if (failed !== undefined) this.failed = failed;
  }

  get waitsAt(): readonly string[] | undefined {
    return this.#waits?.nodes;
  }

  wait<T>(reason: WaitReason, node: string, ask: () => MaybePromise<T>): MaybePromise<T> {
    this.#waits ??= new OpenWaits(this);
    return this.#waits.during(reason, node, ask);
  }

  /** A span keeps the clock, and so this trace, until the run's notes are given back. */
  beginInner(node: number | string, start: InnerStart): InnerSpan | undefined {
    return this.#over ? undefined : this.notes.beginInner(node, start, this);
  }

  tell(event: Untimed<TimelineEvent>): void {
    this.pass();
    if (this.#over) return;
    const timed = { ...event, at_us: this.now_us } as TimelineEvent;
    this.notes.add(timed);
    if (this.#event !== undefined) this.#tellEvent(timed);
  }

  /** Of a run that waits, what was recorded ends here, and well. */
  end(given: unknown, aborted: boolean): void {
    const waits = isWaiting(given);
    const outcome = waits ? undefined : given;
    this.#waits?.end();
    if (this.#open.length > 0)
      this.leaveAll(undefined, waits ? "next" : aborted ? "aborted" : "fault", outcome);
    // Its response may be told once the state belongs to another run.
    this.#labels = this.#state.duties.labels;
    this.#over = true;
    this.notes.end();
    const { ended } = this.#recorder;
    if (ended !== undefined) {
      try {
        this.#settle("ended", ended.call(this.#recorder, this, outcome));
      } catch (error) {
        this.#report("ended", error);
      }
    }
    if (this.#answer !== undefined) this.#tellAnswer(this.#answer);
    else if (!this.#awaitsAnswer) this.#giveBack();
  }

  #giveBack(): void {
    if (this.#isSeen || this.notes === NOTHING) return;
    this.notes.giveBack();
    this.notes = NOTHING;
  }

  /** Its request is answered: before the run is over, if the response did not wait for it. */
  answered(answer: RunAnswer): void {
    if (this.#over) this.#tellAnswer(answer);
    else this.#answer = { ...answer, isEarly: true };
  }

  #tellAnswer(answer: RunAnswer): void {
    try {
      this.#settle("answered", this.#recorder.answered?.call(this.#recorder, this, answer));
    } catch (error) {
      this.#report("answered", error);
    }
    this.#giveBack();
  }

  #tellEvent(event: TimelineEvent): void {
    try {
      this.#settle("event", this.#event?.call(this.#recorder, this, event));
    } catch (error) {
      this.#report("event", error);
    }
  }

  /** A recorder may be asynchronous, whatever its type says. */
  #settle(call: string, told: unknown): void {
    if (told !== undefined) pendingOf(told)?.catch((error) => this.#report(call, error));
  }

  #report(call: string, error: unknown): void {
    const message = `The recorder's ${call} failed; the run goes on`;
    this.#tracing.reporter({ code: "RECORDER_FAILED", message, axon: this.circuit.name, error });
  }
}
