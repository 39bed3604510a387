// One Axon made ready to run: its instructions, its generated function, the slots of its Bus,
// and one idle state that runs reuse.
//
//   P1. A state is reused only if its run ended without waiting and its signal was never handed
//       out: else other code may still hold it.
//   P2. If a Bus may outlive its run (`ownBus`), each run has its own Bus object, which refuses
//       every call once the run is over.
//   P3. One idle state is enough: only a run inside a run of the same Axon finds it taken, and
//       makes its own.

import { randomUUID } from "node:crypto";
import type { AnyKey } from "#core/bus/bus-key.js";
import { type Report, type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import { type Clock, systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyLayer } from "#core/flow/layer.js";
import { mode } from "#core/mode.js";
import type { AuditUse } from "#core/ports/audit-use.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { Recorder } from "#core/timeline/recorder.js";
import { mayGenerateCode } from "#schema/compile/code-generation.js";
import { labelsOf } from "../check/declared-labels.js";
import { keysOf, requireUnchanged } from "../check/used-keys.js";
import { requireWaitingPlaces } from "../check/waiting-places.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { requireOwnRuns } from "../definition/mounted-runs.js";

import { goOnSuspended } from "../execute/loop.js";
import { RunEnding } from "../execute/run-ending.js";
import type { JournalOptions, RunOwner } from "../kept/appended.js";
import { guarded } from "../run/answers.js";
import { type BusLayout, layOut, noSupply, type Supply } from "../run/bus-layout.js";
import type { CoarseClock } from "../run/counters.js";
import type { Instruction } from "../run/instruction.js";
import type { Resume, Run, Unsent } from "../run/program-port.js";
import { RunBus, RunState, releasedState } from "../run/run-state.js";
import type { UndoStep } from "../run/undoing.js";
import type { UnkeptKey } from "../steps/checkpoint-step.js";
import { enterAt } from "../steps/entering.js";
import type { RunOrigin } from "../trace/tracing.js";
import { Watch, type WatchedProgram } from "../watch/watch.js";
import { type Flat, flatten } from "./flatten.js";
import { compileResume, compileRun, loopRun } from "./straight.js";
import { compileTimedLine } from "./timed-line.js";

export interface ProgramOptions {
  readonly production?: boolean;
  readonly generate?: boolean;
  readonly reporter?: Reporter;
  /** Values that are present from the start or made at first read. */
  readonly supply?: Supply;
  /** Keys beside those of the steps: their values are given with each run. */
  readonly given?: Iterable<AnyKey>;
  readonly awaited?: ReadonlyMap<AnyKey, Instruction["step"]>;
  readonly inputChecked?: boolean;
  readonly input?: Instruction["step"] | undefined;
  /** True if `input` may jump to any node of the line behind it, by the node's id. Default false. */
  readonly entersLine?: boolean | undefined;
  readonly around?: readonly AnyLayer[];
  readonly clock?: Clock;
  readonly coarse?: CoarseClock | undefined;
  readonly newId?: (() => string) | undefined;
  /** The owner of the runs it stores. Default: none. */
  readonly owner?: RunOwner | undefined;
  readonly recorder?: Recorder;
  /** True if single runs may be observed (`Watch.runTold`). */
  readonly isTold?: boolean;
  /** The ingress of its runs. Default: none. */
  readonly origin?: RunOrigin;
  readonly unsent?: Unsent;
  /** True if each run gets its own Bus object. Default: outside production. */
  readonly ownBus?: boolean;
}

export class Program implements WatchedProgram {
  readonly name: string;
  readonly code: readonly Instruction[];
  readonly length: number;
  readonly layout: BusLayout;
  readonly maxJumps: number;
  readonly reporter: Reporter;
  readonly ownBus: boolean;
  readonly unsent: Unsent | undefined;
  /** Keys written in the Axon that a run from this instruction on uses. */
  readonly keptAt: (at: number) => readonly AnyKey[];
  /** The instruction that makes the input; -1 if runs are given it, or if the instruction does more with it. */
  readonly #inputAt: number;
  readonly #origin: RunOrigin | undefined;
  /** Runs from the first step with an acquired state. Returns the outcome, or a promise of it. */
  run: Run;
  readonly watch: Watch | undefined;
  /** Work that is due before a run returns its outcome; undefined if no work can be due. */
  readonly ending: RunEnding | undefined;
  readonly entries: ReadonlyMap<string, number>;
  readonly compensations: ReadonlyMap<string, UndoStep<RunBus>> = new Map();
  readonly lock: Instruction["step"] | undefined;
  /** The sinks for dead letters of its nodes, each once. */
  readonly deadLetters: readonly DeadLetterSink[];
  /** The sink for dead letters of a run that no node has ended. */
  readonly deadLetterSink: DeadLetterSink | undefined;
  /** Keys that steps use and a resumed run would not find in its log. */
  readonly unkept: readonly UnkeptKey[];
  /** Records interventions in its runs. */
  readonly audit: AuditUse | undefined;
  /** Undefined if its runs are not stored. */
  readonly journal: JournalOptions | undefined;
  resume: Resume;
  resumeCounted: Resume;
  /** The state that the next run uses. */
  idle: RunState | null = null;

  constructor(axon: AxonDefinition, options: ProgramOptions = {}) {
    const production = options.production ?? mode.production;
    const generate = options.generate ?? mayGenerateCode();
    const { awaited = new Map(), inputChecked = false, input, around, entersLine } = options;
    const clock = options.clock ?? systemClock;
    const { newId = randomUUID, owner } = options;
    const reporter = options.reporter ?? reportAsWarning;
    const { name, version, persistence } = axon;
    requireOwnRuns(axon);
    requireWaitingPlaces(axon);
    this.journal = persistence && { axon: name, version, persistence, clock, reporter, owner };
    const checkpoints = this.journal && { ...this.journal, newId };
    const laid = {
      production,
      generate,
      clock,
      inputChecked,
      input,
      entersLine,
      around,
      awaited,
      checkpoints,
    };
    const lay = (traced: boolean): Flat => flatten(axon, { ...laid, traced, program: this });
    const { code, length, nodes, sinks, compensations, entries, lock, locks, unkept, keptAt } = lay(false);
    this.name = axon.name;
    this.audit = axon.audit;
    this.code = code;
    this.entries = entries;
    this.unkept = unkept;
    this.keptAt = keptAt;
    this.length = length;
    const { supply = noSupply } = options;
    requireUnchanged(axon, supply);
    this.maxJumps = axon.maxJumps;
    this.reporter = reporter;
    this.ownBus = options.ownBus ?? !production;
    const used = [...keysOf(axon), ...(options.given ?? [])];
    this.layout = layOut(used, supply, labelsOf(axon), !this.ownBus);
    this.#origin = options.origin;
    this.unsent = options.unsent;
    this.#inputAt = code.findIndex(({ step }) => step === input);
    this.resume = (at, value, state) => {
      this.resume = compileResume(this, generate);
      return this.resume(at, value, state);
    };
    this.resumeCounted = (at, value, state) => {
      this.resumeCounted = compileResume(this, generate, true);
      return this.resumeCounted(at, value, state);
    };
    const { recorder } = options;
    const undoes = compensations.size > 0;
    this.lock = lock;
    this.deadLetterSink = axon.dlqPolicy?.kind === "drop" ? undefined : axon.dlqSink;
    this.deadLetters = [...new Set([...sinks.values()].map(({ sink }) => sink))];
    if (undoes || sinks.size > 0 || locks || persistence !== undefined) {
      this.ending = new RunEnding(this, { version, reporter, newId, sinks });
      this.compensations = compensations;
    }
    const bare = compileRun(this, generate);
    this.run = bare;
    if (recorder === undefined && options.isTold !== true && this.ending?.wantsTrace !== true) return;
    this.watch = new Watch(this, {
      version: axon.version,
      nodes,
      recorder,
      reporter: this.reporter,
      clock,
      coarse: options.coarse,
      origin: options.origin,
      bare,
      counted: (counters) => compileRun(this, generate, counters),
      traced: () => lay(true),
      timed: (traced, counters) =>
        generate && this.ending === undefined ? compileTimedLine(this, traced, counters) : undefined,
    });
    this.watch.watch({ kind: "off" });
    const { watch } = this;
    guarded(
      () => recorder?.mounted?.(watch),
      (error) => {
        const message = "The recorder's mounted failed; the circuit is mounted";
        reporter({ code: "RECORDER_FAILED", message, axon: axon.name, error });
      },
    );
  }

  /** As `run`, for runs that a caller's signal may abort: it tests the signal before each step. */
  get runAbortable(): Run {
    return this.ending?.wantsTrace === true ? this.run : loopRun(this);
  }

  /** Runs from one node on. `told` records the run, under the number `id`. Throws AXON_NODE_UNKNOWN if the node is in no line of the Axon. */
  runFrom(node: string, told?: Recorder, id?: number): Run {
    const at = this.entryOf(node);
    const isTraced = told !== undefined || this.ending?.wantsTrace === true;
    return isTraced && this.watch !== undefined
      ? this.watch.runFrom(node, told, id)
      : loopRun(this, (input, state) => enterAt(this, at, input, state));
  }

  entryOf(node: string): number {
    const at = this.entries.get(node);
    if (at !== undefined) return at;
    const steps = [...this.entries].filter(([id]) => !id.endsWith(":in")).sort(([, a], [, b]) => a - b);
    const known = steps.map(([id]) => `'${id}'`).join(", ") || "none, it has no steps";
    throw new FrameworkError(
      "AXON_NODE_UNKNOWN",
      `Axon '${this.name}' cannot begin at '${node}', which it does not have or which runs inside a step: use one of ${known}`,
    );
  }

  /** The instruction of the input, and the nodes that it may jump to; undefined without `entersLine`. */
  get front(): { readonly inputAt: number; readonly entries: ReadonlyMap<string, number> } | undefined {
    const input = this.code[this.#inputAt];
    return input && { inputAt: this.#inputAt, entries: input.jumps };
  }

  /** Resumes a run that the input step suspended, with its input. Returns the outcome, or a promise of it. */
  goOn(input: unknown, state: RunState): unknown {
    state.waited = false;
    const { trace } = state.duties;
    if (trace !== null && this.watch !== undefined) return this.watch.goOn(trace, input, state);
    const outcome = goOnSuspended(this, this.#inputAt, input, state);
    this.release(state);
    return outcome;
  }

  /** True if the run can be suspended: its state is not held elsewhere, and it cannot be aborted. */
  maySuspend({ waited, control }: RunState): boolean {
    return control === null && !waited && this.ending === undefined && this.#inputAt >= 0;
  }

  /** A state for one run, cleared. */
  acquire(): RunState {
    const state = this.idle;
    if (state === null) return new RunState(this.layout);
    this.idle = null;
    if (this.ownBus) state.bus = new RunBus(state);
    return state;
  }

  reportOf(request: unknown): Partial<Report> {
    return this.#origin?.reportOf?.(request) ?? {};
  }

  /** Takes back the state of a run that has ended. */
  release(state: RunState): void {
    if (state.waited) return;
    if (this.ownBus) state.bus.state = releasedState;
    if (state.control !== null) return;
    state.clear();
    this.idle = state;
  }
}
