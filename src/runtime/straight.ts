// Generates the function that runs an Axon's main line: its steps called one
// after another, each answer tested once. docs/decisions/0001 has the figures.
//
//   E1. A plain answer costs one test. Everything else (a promise, a Control, data
//       with a `then` of its own) leaves for the loop, which gives it its meaning.
//   E2. No text from outside enters the code: steps are arguments, positions are
//       numbers. `axon.explain({ code: true })` prints it.
//   E3. The state goes back to the program before the outcome is answered, cleared.

import { END } from "./instruction.js";
import { goOnFrom, panic, runFrom } from "./loop.js";
import type { Program } from "./program.js";
import { type RunState, releasedState } from "./run-state.js";

/** Runs an Axon once. The state was acquired for this run and is not to be used after it. */
export type Run = (input: unknown, state: RunState) => unknown;

export function compileRun(program: Program, generate: boolean): Run {
  return generate ? generateRun(program) : loopRun(program);
}

/** The same by the loop, which looks at the abort signal before each step. */
export function loopRun(program: Program): Run {
  const first = program.length === 0 ? END : 0;
  return (input, state) => {
    const outcome = runFrom(program, first, input, state);
    if (!state.waited) state.control?.end(outcome);
    program.release(state);
    return outcome;
  };
}

function generateRun(program: Program): Run {
  const steps = program.code.slice(0, program.length).map((instruction) => instruction.step);
  const names = steps.map((_, at) => `step${at}`);
  const leave = (at: number, answer: unknown, state: RunState): unknown => {
    const outcome = goOnFrom(program, at, answer, state);
    program.release(state);
    return outcome;
  };
  const fail = (at: number, cause: unknown, state: RunState): unknown => {
    program.release(state);
    return panic(program, at, cause);
  };
  const make = new Function(...names, "leave", "fail", "program", "released", runCode(program));
  return make(...steps, leave, fail, program, releasedState);
}

/** The generated code: a function that makes the run function. */
export function runCode({ length, layout, ownBus }: Program): string {
  const cleared = layout.initial.map((_, slot) => slot).slice(layout.firstCleared);
  return [
    "return function run(value, state) {",
    "  const bus = state.bus;",
    "  let at = 0;",
    "  try {",
    ...Array.from({ length }, (_, at) => callCode(at)),
    "  } catch (cause) {",
    "    return fail(at, cause, state);",
    "  }",
    ...(ownBus ? ["  bus.state = released;"] : []),
    "  if (state.control !== null) return value;",
    "  const values = state.values;",
    ...cleared.map((slot) => `  values[${slot}] = undefined;`),
    "  program.idle = state;",
    "  return value;",
    "}",
    "",
  ].join("\n");
}

function callCode(at: number): string {
  return [
    ...(at === 0 ? [] : [`    at = ${at};`]),
    `    value = step${at}.run(value, bus);`,
    `    if (value != null && value.then !== undefined) return leave(${at}, value, state);`,
  ].join("\n");
}
