// How closely the runs of one program are watched: selects one of its three variants.
//
//   W1. A run is what it began as: changing the level changes runs that begin later.
//   W2. The bare variant is untouched by all this: nothing asks it whether to count.
//   W3. A sampler costs an increment and a comparison.

import { type AnyKey, keyCount } from "#core/bus/bus-key.js";
import type { Fault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { runOutcomeOf } from "#core/bus/run-outcome.js";
import type { Clock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { NotedNames } from "#core/timeline/recorded-timeline.js";
import type {
  NodeCounts,
  Recorder,
  WatchedCircuit,
  WatchedNode,
  WatchLevel,
} from "#core/timeline/recorder.js";
import { goOnInLine, goOnSuspended, runTraced } from "../execute/loop.js";
import type { BusLayout } from "../run/bus-layout.js";
import { type CoarseClock, Counters, coarseClock } from "../run/counters.js";
import { END, type Instruction, SUSPENDED } from "../run/instruction.js";
import type { ProgramPort, Run } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";
import type { RunTrace, TimedLine } from "../run/run-trace.js";
import { enterAt } from "../steps/entering.js";
import { Trace } from "../trace/trace.js";
import type { RunOrigin, Tracing } from "../trace/tracing.js";

/** The part of a program that a Watch uses: the Watch sets which variant runs. */
export interface WatchedProgram extends ProgramPort {
  run: Run;
  readonly layout: BusLayout;
  /** A state for one run, cleared. */
  acquire(): RunState;
  /** Takes back the state of a run that has ended. */
  release(state: RunState): void;
}

/** The instructions of a program's traced variant. */
interface TracedCode {
  readonly code: readonly Instruction[];
  /** Number of instructions in its main line: they come first. */
  readonly length: number;
  /** By node: the instruction at which a run can begin. */
  readonly entries: ReadonlyMap<string, number>;
}

export interface WatchOptions {
  readonly version: string;
  readonly nodes: readonly WatchedNode[];
  readonly recorder: Recorder | undefined;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly coarse: CoarseClock | undefined;
  readonly origin: RunOrigin | undefined;
  /** Makes the variants that a level needs. */
  readonly bare: Run;
  readonly counted: (counters: Counters) => Run;
  readonly traced: () => TracedCode;
  /** Undefined if code cannot be generated, or if the loop has to run the line. */
  readonly timed: (traced: TracedCode, counters: Counters) => TimedLine<RunState> | undefined;
}

const nobody: Recorder = {};

export class Watch implements WatchedCircuit {
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly WatchedNode[];
  readonly #program: WatchedProgram;
  readonly #options: WatchOptions;
  readonly #levels = new Map<object, WatchLevel>();
  #counters: Counters | undefined;
  #counted: Run | undefined;
  #traced: TracedCode | undefined;
  #line: TimedLine<RunState> | null | undefined;
  readonly #names: NotedNames;
  /** Cached slots by set of names: recorders of single runs often share a set. */
  readonly #slots = new WeakMap<ReadonlySet<string>, Uint8Array>();
  /** The counters of runs that a caller chooses to trace; `#hears` tells if the recorder observes the next one. */
  #counts: Counters | null = null;
  #hears: () => boolean = never;

  constructor(program: WatchedProgram, options: WatchOptions) {
    this.name = program.name;
    this.version = options.version;
    this.nodes = options.nodes;
    this.#names = new NotedNames(options.nodes.map(({ id }) => id));
    this.#program = program;
    this.#options = options;
  }

  get counts(): NodeCounts {
    return this.#countersOf();
  }

  /** Runs it traced, whatever the level. `told` makes its recorder, from the Axon's own if that observes the run too. */
  runTold(input: unknown, state: RunState, told: (own: Recorder | undefined) => Recorder): unknown {
    const own = this.#hears() ? this.#options.recorder : undefined;
    return this.#tracedRun(told(own), this.#counts)(input, state);
  }

  watch(level: WatchLevel, by: object = nobody): void {
    requireEvery(level);
    this.#levels.set(by, level);
    const closestLevel = closest([...this.#levels.values()]);
    this.#program.run = this.#runOf(closestLevel);
    this.#counts = closestLevel.kind === "off" ? null : this.#countersOf();
    this.#hears = hearingOf(closestLevel);
  }

  /** Counts a run that ended before its first node: refused, or failed. Reports it if the recorder observes it. */
  unentered(why: Fault<unknown>, request: unknown): void {
    const { recorder } = this.#options;
    if (this.#counts !== null) {
      const { runs } = this.#counts;
      runs.begun += 1;
      const outcome = runOutcomeOf(why, this.name);
      if (outcome === "refused_input") runs.refused += 1;
      else if (outcome === "fault") runs.failed += 1;
    }
    if (recorder === undefined || !this.#hears()) return;
    const state = this.#program.acquire();
    state.request = request;
    const trace = new Trace(this.#tracingFor(recorder, null), state);
    trace.begin();
    ended(state, trace, why);
    this.#program.release(state);
  }

  #runOf(level: WatchLevel): Run {
    switch (level.kind) {
      case "off":
        return this.#program.ending?.wantsTrace === true ? this.unheardRun() : this.#options.bare;
      case "counted":
        return this.#countedRun();
      case "all":
        return this.#heardRun();
      case "sampled": {
        const { every } = level;
        const [counted, traced] = [this.#countedRun(), this.#heardRun()];
        let runs = 0;
        return (input, state) => {
          runs += 1;
          if (runs < every) return counted(input, state);
          runs = 0;
          return traced(input, state);
        };
      }
    }
  }

  #countersOf(): Counters {
    if (this.#counters === undefined) {
      const { nodes, reporter, coarse = coarseClock() } = this.#options;
      this.#counters = new Counters(this.name, nodes, coarse, reporter);
    }
    return this.#counters;
  }

  #countedRun(): Run {
    if (this.#program.ending?.wantsTrace === true) return this.#tracedRun(nobody, this.#countersOf());
    this.#counted ??= this.#options.counted(this.#countersOf());
    return this.#counted;
  }

  #heardRun(): Run {
    return this.#tracedRun(this.#options.recorder ?? nobody, this.#countersOf());
  }

  /** Traced for its dead letters only. */
  unheardRun(): Run {
    return this.#tracedRun(nobody, null);
  }

  /** The same from a node on, or for one observer. `id` is a number reserved for the run. */
  runFrom(node: string, told: Recorder = nobody, id?: number): Run {
    return this.#tracedRun(told, null, node, id);
  }

  /** Traced runs go through the loop: their steps report each event. */
  #tracedRun(recorder: Recorder, counters: Counters | null, node?: string, id?: number): Run {
    const tracing = this.#tracingFor(recorder, counters);
    const { length, entries } = this.#flat();
    const program = this.#program;
    const first = node === undefined ? (length === 0 ? END : 0) : (entries.get(node) ?? END);
    return (input, state) => {
      if (counters !== null) counters.runs.begun += 1;
      const trace = new Trace(tracing, state, id);
      state.due().trace = trace;
      state.counters = counters;
      trace.begin();
      const ran =
        node === undefined
          ? runTraced(program, first, input, state, trace)
          : enterAt(program, first, input, state);
      return ran === SUSPENDED ? ran : this.#finished(ran, state, trace);
    };
  }

  #flat(): TracedCode {
    this.#traced ??= this.#options.traced();
    return this.#traced;
  }

  #tracingFor(recorder: Recorder, counters: Counters | null): Tracing {
    const traced = this.#flat();
    const { clock, reporter, origin } = this.#options;
    // Runs without counters are few, or are traced for their dead letters: no line is generated for them.
    const line = counters === null ? undefined : this.#lineOf(traced, counters);
    const toldSlots = recorder.accessesOf && this.#slotsOf(recorder.accessesOf);
    const told = { recorder, toldSlots, circuit: this, names: this.#names };
    return { ...told, code: traced.code, clock, reporter, origin, line };
  }

  #slotsOf(names: ReadonlySet<string>): Uint8Array {
    const slots = this.#slots.get(names) ?? slotsOf(names, this.#program.layout.keys);
    this.#slots.set(names, slots);
    return slots;
  }

  #lineOf(traced: TracedCode, counters: Counters): TimedLine<RunState> | undefined {
    if (this.#line === undefined) this.#line = this.#options.timed(traced, counters) ?? null;
    return this.#line ?? undefined;
  }

  /** Resumes a suspended traced run. Returns the outcome, or a promise of it. */
  goOn(trace: RunTrace<RunState>, input: unknown, state: RunState): unknown {
    const line = trace.waitingLine;
    const at = trace.goOn(input);
    const ran =
      line === undefined
        ? goOnSuspended(this.#program, at, input, state)
        : goOnInLine(line, at, input, state, trace);
    return this.#finished(ran, state, trace);
  }

  #finished(ran: unknown, state: RunState, trace: RunTrace<RunState>): unknown {
    const { ending } = this.#program;
    const outcome = ending === undefined ? ran : ending.finish(ran, state);
    if (outcome instanceof Promise) {
      state.waited = true;
      return outcome.then((later) => ended(state, trace, later));
    }
    state.control?.end(outcome);
    ended(state, trace, outcome);
    // Usable by the next run of any variant.
    state.due().trace = null;
    this.#program.release(state);
    return outcome;
  }
}

/** One load tells whether a key is named. */
function slotsOf(names: ReadonlySet<string>, keys: readonly AnyKey[]): Uint8Array {
  const slots = new Uint8Array(keyCount());
  for (const { name, slot } of keys) if (names.has(name)) slots[slot] = 1;
  return slots;
}

function requireEvery(level: WatchLevel): void {
  if (level.kind !== "sampled" || (Number.isSafeInteger(level.every) && level.every > 0)) return;
  const message = `watch: every ${level.every} runs: use a whole number from 1`;
  throw new FrameworkError("CONFIG_INVALID", message);
}

const CLOSENESS = { off: 0, counted: 1, sampled: 2, all: 3 } as const;

function closest(levels: readonly WatchLevel[]): WatchLevel {
  return levels.reduce((a, b) => {
    if (a.kind === "sampled" && b.kind === "sampled") return a.every < b.every ? a : b;
    return CLOSENESS[a.kind] < CLOSENESS[b.kind] ? b : a;
  });
}

/** Tells if the recorder also observes the next run that a caller chooses to trace. */
function hearingOf(level: WatchLevel): () => boolean {
  if (level.kind !== "sampled") return level.kind === "all" ? always : never;
  let runs = 0;
  return () => {
    runs += 1;
    if (runs < level.every) return false;
    runs = 0;
    return true;
  };
}

const always = (): boolean => true;
const never = (): boolean => false;

function ended(state: RunState, trace: RunTrace<RunState>, outcome: unknown): unknown {
  trace.end(outcome, state.control?.aborted === true);
  return outcome;
}
