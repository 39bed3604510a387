// Generates the main line of a traced run that reports its nodes only after its end: as
// straight.ts does, plus the time at which each node is entered and left.
// docs/decisions/0006-watching.md has the figures. The line behaves and records as the loop does:
// the first answer that is not a plain value, and the first step that runs others, leave for it.

import { Control } from "#core/bus/outcome.js";
import { LONG_CALL_US } from "#core/loop-limits.js";
import { goOn, panic, steps } from "../execute/loop.js";
import { isPlain } from "../run/answers.js";
import type { Counters } from "../run/counters.js";
import type { Instruction } from "../run/instruction.js";
import { SUSPENDED } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";
import type { RunTrace, TimedLine } from "../run/run-trace.js";
import { TracedBus } from "../trace/traced-bus.js";
import { answered, panicked, tellAnswer } from "../trace/traced-step.js";
import type { Flat } from "./flatten.js";
import { ownCode } from "./straight.js";

/** Later instructions run in the loop: a longer Timeline is cut before its end. */
const MAX_LENGTH = 500;

export function compileTimedLine(
  program: ProgramPort,
  flat: Pick<Flat, "code" | "length">,
  counters: Counters,
): TimedLine<RunState> | undefined {
  const length = lengthOf(flat);
  const line = flat.code.slice(0, length);
  if (length === 0) return undefined;
  /** Leaves the line inside an instruction; its node was entered with event `entered`, at `at_us`. */
  const leave = (
    at: number,
    answer: unknown,
    state: RunState,
    trace: RunTrace<RunState>,
    entered: number,
    at_us: number,
  ): unknown => {
    const instruction = line[at] as Instruction;
    const { node } = instruction;
    if (node === "") return goOn(program, at, answer, state);
    // If the Timeline is full, the loop waits.
    if (answer === SUSPENDED && entered >= 0) {
      trace.suspendedAt(at, entered);
      state.waited = true;
      return SUSPENDED;
    }
    const visit = trace.open(node, state, entered, at_us);
    try {
      return goOn(program, at, answered(visit, instruction, answer), state);
    } catch (cause) {
      return panic(program, state, at, cause);
    }
  };
  const fail = (
    at: number,
    cause: unknown,
    state: RunState,
    trace: RunTrace<RunState>,
    entered: number,
    at_us: number,
  ): unknown => {
    const instruction = line[at] as Instruction;
    const { node } = instruction;
    if (node !== "") {
      try {
        panicked(trace.open(node, state, entered, at_us), instruction, cause);
      } catch {
        // The error is thrown for the loop.
      }
    }
    return panic(program, state, at, cause);
  };
  /** The line ends, or continues in the loop. */
  const end = (value: unknown, state: RunState): unknown =>
    length === flat.length ? value : steps(program, length, value, state);
  const names = line.map((_, at) => `step${at}`);
  const { calls, sumUs } = counters.synchronous;
  const helpers = { counters, calls, sumUs, TracedBus, leave, fail, end };
  const make = new Function(...names, ...Object.keys(helpers), ownCode(timedCode(line)));
  const run: TimedLine<RunState>["run"] = make(
    ...line.map(({ untold }) => untold),
    ...Object.values(helpers),
  );
  const answerLater: TimedLine<RunState>["goOn"] = (at, answer, state, trace) => {
    const { notes, waitingEvent: entered } = trace;
    if (answer instanceof Control || notes.size !== entered + 1) {
      const instruction = line[at] as Instruction;
      const visit = trace.open(instruction.node, state, entered, notes.at(entered));
      tellAnswer(visit, instruction, answer);
      return goOn(program, at, answer, state);
    }
    notes.passed(entered, trace.leaveInLine());
    try {
      if (isPlain(answer)) return at + 1 === length ? end(answer, state) : run(at + 1, answer, state, trace);
    } catch (cause) {
      return panic(program, state, at, cause);
    }
    return goOn(program, at, answer, state);
  };
  return { length, run, goOn: answerLater };
}

/** Length up to the first step that the loop has to run. */
function lengthOf({ code, length }: Pick<Flat, "code" | "length">): number {
  const first = code.findIndex(({ isMark, parts }) => isMark || parts.length > 0);
  return Math.min(length, MAX_LENGTH, first < 0 ? length : first);
}

/** The generated code: a function that makes the run function. No text from outside enters it (E2). */
function timedCode(line: readonly Instruction[]): string {
  return [
    "const { clock, entered } = counters;",
    "return function run(at, value, state, trace) {",
    "  const { bus } = state;",
    "  const view = new TracedBus(bus, -1);",
    "  const { notes } = trace;",
    "  let time = trace.entered_us;",
    "  let tick = clock[0];",
    "  let waits = false;",
    "  let event = -1;",
    "  let took = 0;",
    "  try {",
    "    switch (at) {",
    ...line.map((instruction, at) => callCode(at, instruction)),
    "    }",
    "  } catch (cause) {",
    "    return fail(at, cause, state, trace, event, time);",
    "  }",
    "  return end(value, state);",
    "}",
    "",
  ].join("\n");
}

function callCode(at: number, { node, number, isSender }: Instruction): string {
  const isNode = node !== "";
  return [
    `      case ${at}:`,
    `        at = ${at};`,
    ...(isSender
      ? []
      : ["        if (state.control !== null && state.control.stopped) return state.control.abortion();"]),
    ...(isNode
      ? [
          `        entered[${number}] += 1;`,
          `        event = notes.enter(${number}, time);`,
          `        view.node = ${number};`,
        ]
      : []),
    `        value = step${at}.run(value, ${isNode ? "view" : "bus"});`,
    // Inside the try: it may be a getter, and a step that throws has blocked nothing.
    "        waits = value != null && value.then !== undefined;",
    "        if (clock[0] !== tick) {",
    ...(isNode ? [`          counters.hold(${number}, tick);`] : []),
    "          tick = clock[0];",
    "        }",
    "        if (waits) return leave(at, value, state, trace, event, time);",
    ...(isNode
      ? [
          "        took = -time;",
          "        time = trace.now_us;",
          "        took += time;",
          "        notes.passed(event, time);",
          `        calls[${number}] += 1;`,
          `        sumUs[${number}] += took;`,
          `        if (took > ${LONG_CALL_US}) counters.long(${number}, took);`,
        ]
      : ["        time = trace.now_us;"]),
  ].join("\n");
}
