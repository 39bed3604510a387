// Generates the function that runs an Axon's main line. docs/decisions/0001 has the figures.
//
//   E1. A plain answer costs one test. Any other (a promise, a Control, data with its own
//       `then`) leaves for the loop, which interprets it.
//   E2. No text from outside enters the code: steps are arguments, positions are numbers.
//       `axon.explain({ code: true })` prints it.
//   E3. The cleared state returns to the program before the outcome is returned.
//   E4. After a promise the line resumes in a second function, with an entry at each step, and
//       not in the loop (102 ns against 114 for one promise among five).

import { goOn, goOnFrom, panic, runFrom, steps } from "../execute/loop.js";
import type { BusLayout } from "../run/bus-layout.js";
import type { Counters } from "../run/counters.js";
import { END, type Instruction } from "../run/instruction.js";
import type { ProgramPort, Resume, Run } from "../run/program-port.js";
import { type RunState, releasedState } from "../run/run-state.js";

/** The part of a program that the code of a line uses, beside ProgramPort. */
interface LineProgram extends ProgramPort {
  readonly layout: BusLayout;
  /** True if each run gets its own Bus object. */
  readonly ownBus: boolean;
  /** Takes back the state of a run that has ended. */
  release(state: RunState): void;
}

/** With counters it counts, and reports steps that hold the event loop. */
export function compileRun(program: LineProgram, generate: boolean, counters?: Counters): Run {
  if (generate && program.ending === undefined) return generateRun(program, counters);
  const run = loopRun(program);
  if (counters === undefined) return run;
  return (input, state) => {
    counters.runs.begun += 1;
    state.counters = counters;
    return run(input, state);
  };
}

/** As `compileRun`, by the loop, which tests the abort signal before each step. */
export function loopRun(program: LineProgram, begin = fromStart(program)): Run {
  const { ending } = program;
  return (input, state) => {
    const ran = begin(input, state);
    const outcome = ending === undefined ? ran : ending.finish(ran, state);
    if (!state.waited) state.control?.end(outcome);
    program.release(state);
    return outcome;
  };
}

function fromStart(program: LineProgram): Run {
  const first = program.length === 0 ? END : 0;
  return (input, state) => runFrom(program, first, input, state);
}

function generateRun(program: LineProgram, counters: Counters | undefined): Run {
  const line = stepsOf(program);
  const leave = (at: number, answer: unknown, state: RunState): unknown => {
    const outcome = goOnFrom(program, at, answer, state);
    program.release(state);
    return outcome;
  };
  const fail = (at: number, cause: unknown, state: RunState): unknown => {
    const outcome = panic(program, state, at, cause);
    program.release(state);
    return outcome;
  };
  const names = [...namesOf(line), "leave", "fail", "program", "released", "counters"];
  const make = new Function(...names, ownCode(runCode(program, counters !== undefined)));
  return make(...line, leave, fail, program, releasedState, counters);
}

/** With `counted`, for runs that count: uses the counters of their state. */
export function compileResume(program: LineProgram, generate: boolean, counted = false): Resume {
  if (!generate) return (at, value, state) => steps(program, at, value, state);
  const line = stepsOf(program);
  const leave = (at: number, answer: unknown, state: RunState): unknown => goOn(program, at, answer, state);
  const fail = (at: number, cause: unknown, state: RunState): unknown => panic(program, state, at, cause);
  const make = new Function(...namesOf(line), "leave", "fail", ownCode(resumeCode(program, counted)));
  return make(...line, leave, fail);
}

/** The same line with an entry at each step, and a test for an abort before it. */
export function resumeCode({ length, code }: LineProgram, counted = false): string {
  return [
    "return function resume(at, value, state) {",
    "  const bus = state.bus;",
    ...(counted
      ? ["  const { counters } = state;", "  const { clock, entered } = counters;", "  let tick = clock[0];"]
      : []),
    "  try {",
    "    switch (at) {",
    ...Array.from({ length }, (_, at) => resumeCallCode(at, code[at] as Instruction, counted)),
    "    }",
    "  } catch (cause) {",
    "    return fail(at, cause, state);",
    "  }",
    "  return value;",
    "}",
    "",
  ].join("\n");
}

function resumeCallCode(at: number, instruction: Instruction, counted: boolean): string {
  const { isSender, isCheck } = instruction;
  const look =
    "        if (state.control !== null && state.control.stopped) return state.control.abortion();";
  return [
    `      case ${at}:`,
    ...(isSender || isCheck ? [] : [look]),
    `        at = ${at};`,
    callCode(at, counted ? instruction : undefined),
  ].join("\n");
}

export function runCode(program: LineProgram, counted = false): string {
  const { length, layout, ownBus } = program;
  const cleared = layout.initial.map((_, slot) => slot).slice(layout.firstCleared);
  return [
    "return function run(value, state) {",
    "  const bus = state.bus;",
    "  let at = 0;",
    ...(counted
      ? [
          "  state.counters = counters;",
          "  const { clock, entered, runs } = counters;",
          "  runs.begun += 1;",
          "  let tick = clock[0];",
        ]
      : []),
    "  try {",
    ...Array.from({ length }, (_, at) => entryCode(at, counted ? program.code[at] : undefined)),
    "  } catch (cause) {",
    "    return fail(at, cause, state);",
    "  }",
    ...(ownBus ? ["  bus.state = released;"] : []),
    "  if (state.control !== null) return value;",
    ...(cleared.length === 0 ? [] : clearingCode(cleared, ownBus)),
    ...(counted ? ["  state.counters = null;"] : []),
    "  program.idle = state;",
    "  return value;",
    "}",
    "",
  ].join("\n");
}

/** Reached through the Bus, as steps do: V8 then knows its type and checks it once. */
const clearingCode = (cleared: readonly number[], ownBus: boolean): readonly string[] => [
  `  const values = ${ownBus ? "state" : "bus.state"}.values;`,
  ...cleared.map((slot) => `  values[${slot}] = undefined;`),
];

const stepsOf = (program: LineProgram): readonly Instruction["step"][] =>
  program.code.slice(0, program.length).map((instruction) => instruction.step);

const namesOf = (steps: readonly unknown[]): readonly string[] => steps.map((_, at) => `step${at}`);

/** One load if the clock has not ticked: the reading after a step is the one before the next. */
function tickCode(number: number, holds: boolean): readonly string[] {
  const report = number >= 0 && holds ? [`      counters.hold(${number}, tick);`] : [];
  return ["    if (clock[0] !== tick) {", ...report, "      tick = clock[0];", "    }"];
}

const entryCode = (at: number, counted: Instruction | undefined): string =>
  [...(at === 0 ? [] : [`    at = ${at};`]), callCode(at, counted)].join("\n");

function callCode(at: number, counted: Instruction | undefined): string {
  const number = counted?.number ?? -1;
  const holds = counted?.parts.length === 0;
  return [
    ...(number < 0 ? [] : [`    entered[${number}] += 1;`]),
    `    value = step${at}.run(value, bus);`,
    ...(counted === undefined ? [] : tickCode(number, holds)),
    `    if (value != null && value.then !== undefined) return leave(${at}, value, state);`,
  ].join("\n");
}

/** Number of distinct functions before two share what V8 learns again. */
const NUMBERS = 1024;

let made = 0;

/**
 * Appends a number to the code. Functions with the same text share V8's type feedback, and Axons
 * of the same length would run as if they called each other's steps (54 ns, not 37).
 */
export function ownCode(code: string): string {
  made = (made + 1) % NUMBERS;
  return `${code}// ${made}`;
}
