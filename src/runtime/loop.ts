// Runs instructions one after another and gives every outcome its meaning. Where
// code cannot be generated it runs whole Axons; elsewhere it takes over from the
// generated function (straight.ts) at the first answer that is no plain value.
//
//   L1. Nothing is awaited that is already there.
//   L2. A run that has to wait goes on from the instruction it waited at, in a
//       callback of that promise, whose own promise is the run's (a second promise
//       would cost 500 B). One that can be aborted while it waits is told through its
//       RunState instead: its outcome must not depend on that promise.
//   L3. What a step throws, and what its promise is rejected with, is a
//       TRANSITION_PANIC fault of that step. Reading `then` of its answer counts
//       as part of the step: it may be a getter.

import { type Branch, Control, type Emit, type Fault, fault, type Jump } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import { isPending, pendingOf } from "./answers.js";
import type { Counters } from "./counters.js";
import { deliver } from "./event-delivery.js";
import { END, type Instruction } from "./instruction.js";
import { panicOf } from "./panic.js";
import type { Program } from "./program.js";
import { RunControl } from "./run-control.js";
import type { RunState } from "./run-state.js";

/** The run goes on at `state.at` with `state.value`. */
const ON = Symbol("on");
/** The outcome will be told to the state, later. */
const WAITING = Symbol("waiting");

/** Runs from instruction `at`. Answers the outcome, or a promise of it. */
export function runFrom(program: Program, at: number, input: unknown, state: RunState): unknown {
  return told(steps(program, at, input, state), state);
}

/** Goes on from what instruction `at` answered. Answers the outcome, or a promise of it. */
export function goOnFrom(program: Program, at: number, answer: unknown, state: RunState): unknown {
  return told(goOn(program, at, answer, state), state);
}

export function panic(state: RunState, at: number, cause: unknown): Fault<unknown> {
  const { name, number } = instructionAt(state, at);
  if (state.trace === null) state.counters?.failed(number);
  return panicOf(name, cause);
}

const instructionAt = ({ code }: RunState, at: number): Instruction => code[at] as Instruction;

/** Runs from an instruction; answers the outcome, a promise of it, or WAITING. */
export function steps(program: Program, from: number, input: unknown, state: RunState): unknown {
  let at = from;
  let value = input;
  const { counters } = state;
  while (at !== END) {
    const instruction = instructionAt(state, at);
    if (state.control?.stopped === true && !instruction.isMark) return state.control.abortion();
    try {
      const answer =
        counters === null || state.trace !== null
          ? instruction.step.run(value, state.bus)
          : counted(counters, instruction, value, state);
      if (isPlain(answer)) {
        value = answer;
        at = instruction.next;
        continue;
      }
      const outcome = decide(program, at, answer, state);
      if (outcome !== ON) return outcome;
    } catch (cause) {
      return panic(state, at, cause);
    }
    at = state.at;
    value = state.value;
  }
  return value;
}

function counted(counters: Counters, instruction: Instruction, value: unknown, state: RunState): unknown {
  const { number, parts, step } = instruction;
  if (number < 0) return step.run(value, state.bus);
  counters.enter(number);
  const before = counters.clock[0];
  try {
    return step.run(value, state.bus);
  } finally {
    if (parts.length === 0) counters.hold(number, before);
  }
}

/** The same, answering WAITING where the outcome will be told to the state. */
export function goOn(program: Program, at: number, answer: unknown, state: RunState): unknown {
  try {
    if (answer instanceof Promise) return waitFor(program, at, answer, state);
    if (isPlain(answer)) return steps(program, instructionAt(state, at).next, answer, state);
    const outcome = decide(program, at, answer, state);
    if (outcome !== ON) return outcome;
  } catch (cause) {
    return panic(state, at, cause);
  }
  return steps(program, state.at, state.value, state);
}

/** What an answer means: ON, WAITING, or the Fault that ends the run. */
function decide(program: Program, at: number, answer: unknown, state: RunState): unknown {
  const instruction = instructionAt(state, at);
  if (!(answer instanceof Control)) {
    if (isPending(answer)) return waitFor(program, at, answer, state);
    return on(state, instruction.next, answer);
  }
  const control = answer as
    | Fault<unknown>
    | Branch<string, unknown>
    | Jump<string, unknown>
    | Emit<string, unknown>;
  switch (control.kind) {
    case "fault":
      if (state.trace === null) state.counters?.failed(instruction.number);
      return control;
    case "branch": {
      const body = instruction.branches.get(control.id);
      if (body === undefined) return unknownBranch(instruction, control.id);
      return on(state, body, control.payload);
    }
    case "jump": {
      const target = instruction.jumps.get(control.label);
      if (target === undefined) return undeclared(instruction, `jump '${control.label}'`);
      if (state.countJump() > program.maxJumps) {
        state.trace?.failLast(state);
        const { maxJumps } = program;
        return fault(runtimeFault({ code: "JUMP_LIMIT", step: instruction.name, maxJumps }));
      }
      return on(state, target, control.payload);
    }
    case "emit": {
      const { name } = control.event;
      if (!instruction.emits.has(name)) {
        // Nobody waits for its value: its rejection would end the process.
        pendingOf(control.value)?.catch(() => {});
        return undeclared(instruction, `emit '${name}'`);
      }
      deliver(instruction, { name, payload: control.payload }, program.reporter);
      // An emitted value is read like an answer: it may be pending, or a Control itself.
      return decide(program, at, control.value, state);
    }
  }
}

function on(state: RunState, at: number, value: unknown): typeof ON {
  state.at = at;
  state.value = value;
  return ON;
}

/** O1: neither a Control nor anything that could be pending. */
const isPlain = (answer: unknown): boolean =>
  answer === null || answer === undefined || (answer as { then?: unknown }).then === undefined;

function waitFor(program: Program, at: number, pending: PromiseLike<unknown>, state: RunState): unknown {
  state.waited = true;
  // Who undoes, keeps or records what a run did must hear of its abort at once.
  if (state.control === null && (state.trace !== null || program.ending !== undefined))
    state.control = new RunControl();
  const { control } = state;
  // A foreign thenable may answer twice, throw, or answer with another one: resolve() tames it.
  const settled = pending instanceof Promise ? pending : Promise.resolve(pending);
  if (control === null) {
    return settled.then(
      // A later step may have made a control, by asking for the signal or by a fork.
      (answer) => told(goOnLater(program, at, answer, state), state),
      (cause) => panic(state, at, cause),
    );
  }
  if (control.aborted) {
    settled.then(undefined, () => {});
    return control.abortion();
  }
  control.waiting = true;
  settled.then(
    (answer) => {
      if (control.ended) return;
      control.waiting = false;
      const outcome = goOnLater(program, at, answer, state);
      if (outcome !== WAITING) control.end(outcome);
    },
    (cause) => {
      if (!control.ended) control.end(panic(state, at, cause));
    },
  );
  return WAITING;
}

/**
 * After a promise, in a turn of its own: generated code takes over again where the
 * run is on the main line. Only here, or code that jumps would nest without end.
 */
function goOnLater(program: Program, at: number, answer: unknown, state: RunState): unknown {
  try {
    if (!isPlain(answer)) return goOn(program, at, answer, state);
  } catch (cause) {
    return panic(state, at, cause);
  }
  const { next } = instructionAt(state, at);
  const generated = next < program.length && state.code === program.code && state.counters === null;
  return generated ? program.resume(next, answer, state) : steps(program, next, answer, state);
}

/** The outcome, or a promise of what the state will be told. */
const told = (outcome: unknown, state: RunState): unknown => (outcome === WAITING ? endOf(state) : outcome);

// A function of its own: with the closure in it, each outcome would cost 40 B.
function endOf(state: RunState): Promise<unknown> {
  return new Promise((resolve) => state.control?.whenEnded(resolve));
}

function unknownBranch(instruction: Instruction, id: string): Fault<unknown> {
  if (instruction.branches.size === 0) return undeclared(instruction, `branch '${id}'`);
  return fault(runtimeFault({ code: "BRANCH_UNKNOWN", step: instruction.name, branch: id }));
}

const undeclared = (instruction: Instruction, outcome: string): Fault<unknown> =>
  fault(runtimeFault({ code: "TRANSITION_UNDECLARED", step: instruction.name, outcome }));
