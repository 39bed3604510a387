// One Axon made ready to run: its instructions, its generated function, the slots
// of its Bus, and one idle state that runs use in turn.
//
//   P1. A state is used again only if its run ended without waiting and nobody was
//       given its signal: else someone may still hold it.
//   P2. Where a Bus may outlive its run (`ownBus`), each run has a Bus object of its
//       own, which refuses every call once the run is over.
//   P3. One idle state is enough: only a run inside a run of the same Axon finds
//       it gone, and makes its own.

import type { AnyKey } from "#core/bus-key.js";
import { mode } from "#core/mode.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { mayGenerateCode } from "#schema/code-generation.js";
import type { AxonDefinition } from "./axon-definition.js";
import { type BusLayout, layOut, noSupply, type Supply } from "./bus-layout.js";
import { flatten } from "./flatten.js";
import type { Instruction } from "./instruction.js";
import { RunBus } from "./run-bus.js";
import { RunState, releasedState } from "./run-state.js";
import { compileResume, compileRun, type Resume, type Run } from "./straight.js";
import { keysOf } from "./used-keys.js";

export interface ProgramOptions {
  /** Default: the process's mode. */
  readonly production?: boolean;
  /** Default: whether code can be generated. */
  readonly generate?: boolean;
  /** Default: a process warning. */
  readonly reporter?: Reporter;
  /** Values that are there from the start or made at first read. */
  readonly supply?: Supply;
  /** Keys beside those of the steps, whose values come with each run. */
  readonly given?: Iterable<AnyKey>;
  readonly awaited?: ReadonlyMap<AnyKey, Instruction["step"]>;
  readonly inputChecked?: boolean;
  /** Whether each run gets a Bus object of its own. Default: outside production. */
  readonly ownBus?: boolean;
}

export class Program {
  readonly name: string;
  readonly code: readonly Instruction[];
  /** How many instructions the main line has. */
  readonly length: number;
  readonly layout: BusLayout;
  readonly maxJumps: number;
  readonly reporter: Reporter;
  readonly ownBus: boolean;
  /** Runs from the first step with an acquired state. Answers the outcome, or a promise of it. */
  readonly run: Run;
  readonly #generates: boolean;
  #resume: Resume | undefined;
  /** The state that the next run uses. */
  idle: RunState | null = null;

  constructor(axon: AxonDefinition, options: ProgramOptions = {}) {
    const production = options.production ?? mode.production;
    const generate = options.generate ?? mayGenerateCode();
    const { awaited = new Map(), inputChecked = false } = options;
    const { code, length } = flatten(axon, { production, generate, inputChecked, awaited });
    this.name = axon.name;
    this.code = code;
    this.length = length;
    this.layout = layOut([...keysOf(axon), ...(options.given ?? [])], options.supply ?? noSupply, axon.name);
    this.maxJumps = axon.maxJumps;
    this.reporter = options.reporter ?? reportAsWarning;
    this.ownBus = options.ownBus ?? !production;
    this.#generates = generate;
    this.run = compileRun(this, generate);
  }

  /** Goes on after a promise. Made when the first run waits. */
  get resume(): Resume {
    this.#resume ??= compileResume(this, this.#generates);
    return this.#resume;
  }

  /** A state for one run, cleared. */
  acquire(): RunState {
    const state = this.idle;
    if (state === null) return new RunState(this.layout);
    this.idle = null;
    if (this.ownBus) state.bus = new RunBus(state);
    return state;
  }

  /** Takes back the state of a run that has answered. */
  release(state: RunState): void {
    if (state.waited) return;
    if (this.ownBus) state.bus.state = releasedState;
    if (state.control !== null) return;
    state.clear();
    this.idle = state;
  }
}
