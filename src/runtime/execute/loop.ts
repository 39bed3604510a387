// Runs instructions one after another and interprets every answer: whole Axons if code cannot
// be generated, else from the first answer that is not a plain value (straight.ts).
//
//   L1. A value that is already settled is never awaited.
//   L2. A run that has to wait resumes at the instruction it waited at, in a callback of that
//       promise; the promise of that callback is the run's. A run that can be aborted while it waits gets
//       its outcome through its RunState: the outcome must not depend on that promise.
//   L3. An error that a step throws, or its promise rejects with, is a TRANSITION_PANIC fault of
//       that step. Reading `then` of its answer is part of the step: it may be a getter.

import { type Branch, Control, type Emit, type Fault, fault, type Jump } from "#core/bus/outcome.js";
import { isWaiting, runtimeFault } from "#core/bus/runtime-fault.js";
import { isPending, isPlain, panicOf, pendingOf } from "../run/answers.js";
import type { Counters } from "../run/counters.js";
import { END, type Instruction, isLast, SUSPENDED } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import { RunControl } from "../run/run-control.js";
import type { RunState } from "../run/run-state.js";
import type { RunTrace, TimedLine } from "../run/run-trace.js";
import { deliver } from "./event-delivery.js";

// Objects, like most values they are compared with: a symbol costs a call for each comparison.
/** The run continues at `onward.at` with `onward.value`. */
const ON = Object.freeze({});
/** One object for all runs: it is read as soon as ON is returned. */
const onward: { at: number; value: unknown } = { at: END, value: undefined };
/** The state gets the outcome later. */
const WAITING = Object.freeze({});

/** Runs from instruction `at`. Returns the outcome, or a promise of it. */
export function runFrom(program: ProgramPort, at: number, input: unknown, state: RunState): unknown {
  return told(steps(program, at, input, state), state);
}

export function goOnFrom(program: ProgramPort, at: number, answer: unknown, state: RunState): unknown {
  return told(goOn(program, at, answer, state), state);
}

export function goOnSuspended(program: ProgramPort, at: number, answer: unknown, state: RunState): unknown {
  return told(goOnLater(program, at, answer, state), state);
}

export const goOnInLine = (
  line: TimedLine<RunState>,
  at: number,
  answer: unknown,
  state: RunState,
  trace: RunTrace<RunState>,
): unknown => told(line.goOn(at, answer, state, trace), state);

export function panic(program: ProgramPort, state: RunState, at: number, cause: unknown): Fault<unknown> {
  const { name, number } = instructionAt(program, state, at);
  if (state.duties.trace === null) state.counters?.failed(number);
  return panicOf(name, cause);
}

const codeOf = (program: ProgramPort, { duties }: RunState): readonly Instruction[] =>
  duties.trace === null ? program.code : duties.trace.code;

const instructionAt = (program: ProgramPort, state: RunState, at: number): Instruction =>
  codeOf(program, state)[at] as Instruction;

/** True if an abort has nothing to stop here. In an aborted run, nodes of the output check are not recorded. */
const looksItself = ({ isMark, isSender, isCheck }: Instruction, isTraced: boolean): boolean =>
  isMark || isSender || (isCheck && !isTraced);

/** Runs from an instruction; returns the outcome, a promise of it, or WAITING. */
export function steps(program: ProgramPort, from: number, input: unknown, state: RunState): unknown {
  let at = from;
  let value = input;
  const { counters } = state;
  const { trace } = state.duties;
  const code = codeOf(program, state);
  while (at !== END) {
    const instruction = code[at] as Instruction;
    if (state.control?.stopped === true && !looksItself(instruction, trace !== null))
      return state.control.abortion();
    try {
      const answer =
        counters === null || trace !== null
          ? instruction.step.run(value, state.bus)
          : counted(counters, instruction, value, state);
      if (trace === null ? isPlain(answer) : trace.isPlain(answer, value, instruction.isMark)) {
        value = answer;
        at = instruction.next;
        continue;
      }
      const outcome = decide(program, at, answer, state);
      if (outcome !== ON) return outcome;
    } catch (cause) {
      return panic(program, state, at, cause);
    }
    at = onward.at;
    value = taken();
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

/** As `steps`, after an answer; returns WAITING if the state gets the outcome later. */
export function goOn(program: ProgramPort, at: number, answer: unknown, state: RunState): unknown {
  try {
    if (answer instanceof Promise) return waitFor(program, at, answer, state);
    if (isPlain(answer)) return steps(program, instructionAt(program, state, at).next, answer, state);
    const outcome = decide(program, at, answer, state);
    if (outcome !== ON) return outcome;
  } catch (cause) {
    return panic(program, state, at, cause);
  }
  return steps(program, onward.at, taken(), state);
}

function decide(program: ProgramPort, at: number, answer: unknown, state: RunState): unknown {
  if (answer === SUSPENDED) {
    state.waited = true;
    state.duties.trace?.suspendedAt(at);
    return SUSPENDED;
  }
  const instruction = instructionAt(program, state, at);
  if (!(answer instanceof Control)) {
    if (isPending(answer)) return waitFor(program, at, answer, state);
    return on(instruction.next, answer);
  }
  const control = answer as
    | Fault<unknown>
    | Branch<string, unknown>
    | Jump<string, unknown>
    | Emit<string, unknown>;
  switch (control.kind) {
    case "fault":
      if (state.duties.trace === null && !isWaiting(control)) state.counters?.failed(instruction.number);
      return control;
    case "branch": {
      const body = instruction.branches.get(control.id);
      if (body === undefined) return unknownBranch(instruction, control.id);
      return on(body, control.payload);
    }
    case "jump": {
      const target = instruction.jumps.get(control.label);
      if (target === undefined) return undeclared(instruction, `jump '${control.label}'`);
      if (state.countJump() > program.maxJumps) {
        state.duties.trace?.failLast(state);
        const { maxJumps } = program;
        return fault(runtimeFault({ code: "JUMP_LIMIT", step: instruction.name, maxJumps }));
      }
      return on(target, control.payload);
    }
    case "emit": {
      const { name } = control.event;
      if (!instruction.emits.has(name)) {
        // The value has no reader: an unhandled rejection would end the process.
        pendingOf(control.value)?.catch(() => {});
        return undeclared(instruction, `emit '${name}'`);
      }
      deliver(instruction, { name, payload: control.payload }, program, state.request);
      // An emitted value is treated like an answer: it may be pending, or a Control itself.
      return decide(program, at, control.value, state);
    }
  }
}

function on(at: number, value: unknown): typeof ON {
  onward.at = at;
  onward.value = value;
  return ON;
}

/** The value to continue with; clears it, so that it is not retained. */
function taken(): unknown {
  const { value } = onward;
  onward.value = undefined;
  return value;
}

function waitFor(program: ProgramPort, at: number, pending: PromiseLike<unknown>, state: RunState): unknown {
  state.waited = true;
  // Compensations, the log and the recorder must learn of an abort at once.
  if (state.control === null && (state.duties.trace !== null || program.ending !== undefined))
    state.control = new RunControl();
  const { control } = state;
  // A foreign thenable may settle twice, throw, or resolve to another one: resolve() makes it safe.
  const settled = pending instanceof Promise ? pending : Promise.resolve(pending);
  if (control === null) {
    return settled.then(
      // A later step may have made a control, by asking for the signal or by a fork.
      (answer) => told(goOnLater(program, at, answer, state), state),
      (cause) => panic(program, state, at, cause),
    );
  }
  if (control.aborted) {
    settled.then(
      (answer) => tellUnsent(program, state, at, answer),
      () => {},
    );
    return control.abortion();
  }
  control.waiting = true;
  settled.then(
    (answer) => {
      if (control.ended) {
        tellUnsent(program, state, at, answer);
        return;
      }
      control.waiting = false;
      const outcome = goOnLater(program, at, answer, state);
      if (outcome !== WAITING) control.end(outcome);
    },
    (cause) => {
      if (!control.ended) control.end(panic(program, state, at, cause));
    },
  );
  return WAITING;
}

/** A step settled after its run was over: its answer may have been the outcome. */
function tellUnsent(program: ProgramPort, state: RunState, at: number, answer: unknown): void {
  if (program.unsent !== undefined && isLast(codeOf(program, state), at))
    program.unsent(answer, undefined, state.request);
}

/** Resumes generated code after a promise. Only here: code that jumps would nest without end. */
function goOnLater(program: ProgramPort, at: number, answer: unknown, state: RunState): unknown {
  try {
    if (!isPlain(answer)) return goOn(program, at, answer, state);
  } catch (cause) {
    return panic(program, state, at, cause);
  }
  const { next } = instructionAt(program, state, at);
  const { trace } = state.duties;
  if (trace !== null) return tracedFrom(program, next, answer, state, trace);
  if (next >= program.length) return steps(program, next, answer, state);
  const { resume, resumeCounted } = program;
  return state.counters === null ? resume(next, answer, state) : resumeCounted(next, answer, state);
}

/** Resumes a traced run, in its generated line if that records everything needed. */
function tracedFrom(
  program: ProgramPort,
  at: number,
  value: unknown,
  state: RunState,
  trace: RunTrace<RunState>,
): unknown {
  const line = trace.lineAt(at);
  return line === undefined ? steps(program, at, value, state) : line.run(at, value, state, trace);
}

export function runTraced(
  program: ProgramPort,
  at: number,
  input: unknown,
  state: RunState,
  trace: RunTrace<RunState>,
): unknown {
  return told(tracedFrom(program, at, input, state, trace), state);
}

/** The outcome, or a promise of the outcome that the state gets later. */
const told = (outcome: unknown, state: RunState): unknown => (outcome === WAITING ? endOf(state) : outcome);

// A separate function: with the closure inline, each outcome would cost 40 B.
function endOf(state: RunState): Promise<unknown> {
  return new Promise((resolve) => state.control?.whenEnded(resolve));
}

function unknownBranch(instruction: Instruction, id: string): Fault<unknown> {
  if (instruction.branches.size === 0) return undeclared(instruction, `branch '${id}'`);
  const attached = [...instruction.branches.keys()];
  return fault(runtimeFault({ code: "BRANCH_UNKNOWN", step: instruction.name, branch: id, attached }));
}

const undeclared = (instruction: Instruction, outcome: string): Fault<unknown> =>
  fault(runtimeFault({ code: "TRANSITION_UNDECLARED", step: instruction.name, outcome }));
