// Running an Axon without a server: `axon.execute(input, bus?, signal?)`.

import type { Bus } from "#core/bus/bus.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import { type ContinuedTrace, continuedTrace } from "#core/timeline/continued-trace.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import { missingKeys, requireNoneMissing } from "../check/definite-assignment.js";
import { Program } from "../compile/program.js";
import type { AxonDefinition } from "../definition/axon-definition.js";
import { compensate } from "../execute/saga.js";
import { ContinuedWatch, runContinued, type ToldOf } from "../kept/continuation.js";
import { RunControl } from "../run/run-control.js";
import type { RunState } from "../run/run-state.js";
import { keysOnEntry, underLock } from "../steps/entering.js";
import { hostedAxon } from "./hosted-axons.js";
import { redriving } from "./kept-redrive.js";

export type Execute = (input: unknown, bus?: Bus, signal?: AbortSignal) => unknown;

/** Compiles an Axon to the function that runs it. `given` are the keys of the first caller's Bus. */
export function compileExecute(axon: AxonDefinition, given: Bus | undefined): Execute {
  if (axon.persistence === undefined) return executeOf(new Program(axon), given);
  // A server of the Axon may begin or end between two calls.
  const compiled = new WeakMap<Program, Execute>();
  return (input, bus, signal) => {
    const program = programOf(axon);
    const execute = compiled.get(program) ?? executeOf(program, bus);
    compiled.set(program, execute);
    return execute(input, bus, signal);
  };
}

function executeOf(program: Program, given: Bus | undefined): Execute {
  const { run } = program;
  const { runAbortable } = program;
  // Types check the keys that a caller must give; this check is for untyped callers, once.
  requireNoneMissing(missingKeys(program.name, program.code, given?.entries.map(([key]) => key) ?? []));
  const withBus: Execute = (input, bus, signal) => {
    const state = program.acquire();
    if (bus !== undefined) fill(state, bus);
    if (signal === undefined) return run(input, state);
    state.control = new RunControl();
    state.control.follow(signal);
    return runAbortable(input, state);
  };
  return (input, bus, signal) => {
    if (bus !== undefined || signal !== undefined) return withBus(input, bus, signal);
    return run(input, program.acquire());
  };
}

const programs = new WeakMap<AxonDefinition, Program>();

export function programOf(axon: AxonDefinition): Program {
  const hosted = hostedAxon(axon);
  if (hosted !== undefined) return hosted.program;
  // Single runs may continue a trace of their own.
  const program = programs.get(axon) ?? new Program(axon, { isTold: true });
  programs.set(axon, program);
  return program;
}

/** As above, from one node on. Throws AXON_NODE_UNKNOWN, and KEYS_UNPROVIDED for keys that the remaining steps read. */
export function executeFrom(
  axon: AxonDefinition,
  node: string,
  input: unknown,
  bus: Bus | undefined,
  signal: AbortSignal | undefined,
): unknown {
  const program = programOf(axon);
  const run = program.runFrom(node);
  const state = stateFrom(program, node, bus);
  if (signal !== undefined) {
    state.control = new RunControl();
    state.control.follow(signal);
  }
  return run(input, state);
}

export interface LetterRun {
  readonly mark: TraceMark | undefined;
  readonly runId: string | undefined;
  /** Or a promise of it. */
  readonly outcome: unknown;
}

/** The node at which a re-drive begins, and the input of that node. */
export type LetterEntry = Pick<DeadLetter, "node" | "input">;

export interface RedriveOf {
  readonly axon: AxonDefinition;
  readonly program: Program;
  readonly letter: DeadLetter;
  readonly entry: LetterEntry;
  readonly bus: Bus | undefined;
  /** The id of its run, if that is stored. */
  readonly runId: string | undefined;
  /** Removes the letter. */
  readonly discard: () => unknown;
}

export function redriveLetter({ axon, program, letter, entry, bus, runId, discard }: RedriveOf): LetterRun {
  const { node, input } = entry;
  const kept = (): ContinuedTrace | undefined => continuedTrace(`redrive ${program.name}`, letter.trace);
  if (letter.kind === "step") {
    const state = stateFrom(program, node, bus);
    const duties = state.due();
    duties.redrives = redriving(letter, program, discard);
    duties.runId = runId ?? null;
    duties.subject = letter.subject ?? null;
    duties.labels = letter.labels ?? null;
    const told: ToldOf = {
      kept: kept(),
      watch: ContinuedWatch.of(axon, { kind: "redrive", id: letter.id, letter }),
    };
    const outcome = runContinued(told, state, (to, id) => program.runFrom(node, to, id)(input, state));
    return { mark: told.kept?.mark, runId: told.watch?.runId, outcome };
  }
  const undo = program.compensations.get(letter.node);
  if (undo === undefined) {
    throw new FrameworkError(
      "AXON_NODE_UNKNOWN",
      `Axon '${axon.name}' has no compensation of node '${letter.node}', which the dead letter names`,
    );
  }
  const state = program.acquire();
  state.control = new RunControl();
  if (bus !== undefined) fill(state, bus);
  const again = (): unknown => compensate(undo, letter.input, state);
  // A compensation is not a run of nodes: it has nothing to observe.
  const told: ToldOf = { kept: kept(), watch: undefined };
  const outcome = runContinued(told, state, () => underLock(program, state, again));
  return { mark: told.kept?.mark, runId: undefined, outcome };
}

/** Throws if a run cannot begin at the node, or the Bus lacks keys that the steps from there on read. */
export function requireEntry(program: Program, node: string, bus: Bus | undefined): void {
  const at = program.entryOf(node);
  const given = [...keysOnEntry(program), ...(bus?.entries.map(([key]) => key) ?? [])];
  requireNoneMissing(missingKeys(program.name, program.code, given, at));
}

function stateFrom(program: Program, node: string, bus: Bus | undefined): RunState {
  requireEntry(program, node, bus);
  const state = program.acquire();
  if (bus !== undefined) fill(state, bus);
  return state;
}

/** Puts given values into the slots of the steps. Keys that no step declares are left out. */
export function fill(state: RunState, bus: Bus): void {
  for (const [key, value] of bus.entries) {
    const slot = state.table[key.slot] ?? 0;
    if (slot !== 0) state.values[slot] = value;
  }
}
