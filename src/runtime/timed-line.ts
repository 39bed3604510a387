// Generates what a traced run goes through where nothing is told of its nodes before it is
// over: its main line, as straight.ts has it, that notes when each node was entered and left.
// docs/decisions/0006-watching.md has the figures.
// What happens, and is noted, is what would in the loop: for that leave the first answer that
// is no plain value and the first step that runs others. Times are written as the line goes
// on, and what they are of when it is left.

import { Control } from "#core/outcome.js";
import { ENTER, EXIT, Shape } from "#core/timeline-shapes.js";
import { isPlain } from "./answers.js";
import type { Counters } from "./counters.js";
import type { Flat } from "./flatten.js";
import type { Instruction } from "./instruction.js";
import { SUSPENDED } from "./instruction.js";
import { goOn, panic, steps } from "./loop.js";
import type { Program } from "./program.js";
import type { RunState } from "./run-state.js";
import { ownCode } from "./straight.js";
import type { Trace } from "./trace.js";
import { TracedBus } from "./traced-bus.js";
import { answered, panicked, tellAnswer } from "./traced-step.js";

/** What comes behind runs in the loop: the Timelines of more are cut before they end. */
const MAX_LENGTH = 500;

export interface TimedLine {
  /** Goes on at an instruction. Answers the outcome, or what tells that the state will be told. */
  readonly run: (at: number, value: unknown, state: RunState, trace: Trace) => unknown;
  /** Goes on behind the instruction that it was suspended at. Answers as `run` does. */
  readonly goOn: (at: number, answer: unknown, state: RunState, trace: Trace) => unknown;
  /** By instruction: how many events come before it. */
  readonly eventsBefore: readonly number[];
}

export function compileTimedLine(
  program: Program,
  flat: Pick<Flat, "code" | "length">,
  counters: Counters,
): TimedLine | undefined {
  const length = lengthOf(flat);
  const line = flat.code.slice(0, length);
  if (length === 0) return undefined;
  const shape = new Shape();
  const eventsBefore = line.map(({ node }) => {
    const before = shape.size;
    if (node !== "") {
      shape.addEvent(ENTER, node);
      shape.addEvent(EXIT, before);
    }
    return before;
  });
  /** The node of an instruction is open. */
  const openAt = (at: number, state: RunState, trace: Trace) => {
    const before = eventsBefore[at] as number;
    trace.timeline.follow(shape, before + 1);
    return trace.open((line[at] as Instruction).node, state, before);
  };
  const leave = (at: number, answer: unknown, state: RunState, trace: Trace): unknown => {
    const instruction = line[at] as Instruction;
    const { node } = instruction;
    if (node === "") {
      trace.timeline.follow(shape, eventsBefore[at] as number);
      return goOn(program, at, answer, state);
    }
    if (answer === SUSPENDED) {
      const entered_us = trace.timeline.times[eventsBefore[at] as number] as number;
      counters.took(instruction.number, trace.now_us - entered_us);
      trace.timeline.follow(shape, (eventsBefore[at] as number) + 1);
      trace.suspendedAt(at, true);
      state.waited = true;
      return SUSPENDED;
    }
    const visit = openAt(at, state, trace);
    try {
      return goOn(program, at, answered(visit, instruction, answer), state);
    } catch (cause) {
      return panic(program, state, at, cause);
    }
  };
  const fail = (at: number, cause: unknown, state: RunState, trace: Trace): unknown => {
    const instruction = line[at] as Instruction;
    const { node } = instruction;
    if (node === "") trace.timeline.follow(shape, eventsBefore[at] as number);
    else {
      const visit = openAt(at, state, trace);
      try {
        panicked(visit, instruction, cause);
      } catch {
        // Thrown for the loop.
      }
    }
    return panic(program, state, at, cause);
  };
  /** The run is aborted, or its time is up: nothing is run at this instruction or behind it. */
  const stop = (at: number, state: RunState, trace: Trace): unknown => {
    trace.timeline.follow(shape, eventsBefore[at] as number);
    return state.control?.abortion();
  };
  /** The line is over, or goes on in the loop. */
  const end = (value: unknown, state: RunState, trace: Trace): unknown => {
    trace.timeline.follow(shape, shape.size);
    return length === flat.length ? value : steps(program, length, value, state);
  };
  const names = line.map((_, at) => `step${at}`);
  const nodes = line.map(({ node }) => node);
  const helpers = { nodes, counters, TracedBus, leave, fail, stop, end };
  const make = new Function(...names, ...Object.keys(helpers), ownCode(timedCode(line, eventsBefore)));
  const run: TimedLine["run"] = make(...line.map(({ untold }) => untold), ...Object.values(helpers));
  const answerLater: TimedLine["goOn"] = (at, answer, state, trace) => {
    const left = (eventsBefore[at] as number) + 1;
    if (answer instanceof Control || trace.timeline.size !== left) {
      const instruction = line[at] as Instruction;
      const visit = trace.open(instruction.node, state, left - 1);
      tellAnswer(visit, instruction, answer);
      return goOn(program, at, answer, state);
    }
    trace.timeline.times[left] = trace.leaveInLine();
    try {
      if (isPlain(answer))
        return at + 1 === length ? end(answer, state, trace) : run(at + 1, answer, state, trace);
    } catch (cause) {
      trace.timeline.follow(shape, left + 1);
      return panic(program, state, at, cause);
    }
    trace.timeline.follow(shape, left + 1);
    return goOn(program, at, answer, state);
  };
  return { run, goOn: answerLater, eventsBefore };
}

/** Up to the first step that the loop has to run. */
function lengthOf({ code, length }: Pick<Flat, "code" | "length">): number {
  const first = code.findIndex(({ isMark, isRetried, parts }) => isMark || isRetried || parts.length > 0);
  return Math.min(length, MAX_LENGTH, first < 0 ? length : first);
}

/** The generated code: a function that makes the run function. No text from outside enters it (E2). */
function timedCode(line: readonly Instruction[], eventsBefore: readonly number[]): string {
  return [
    ...line.map((_, at) => `const node${at} = nodes[${at}];`),
    "const { clock, entered } = counters;",
    "return function run(at, value, state, trace) {",
    "  const bus = state.bus;",
    "  const times = trace.timeline.times;",
    "  let time = trace.entered_us;",
    "  let tick = clock[0];",
    "  let waits = false;",
    "  try {",
    "    switch (at) {",
    ...line.map((instruction, at) => callCode(at, instruction, eventsBefore[at] as number)),
    "    }",
    "  } catch (cause) {",
    "    return fail(at, cause, state, trace);",
    "  }",
    "  return end(value, state, trace);",
    "}",
    "",
  ].join("\n");
}

function callCode(at: number, { node, number, isSender }: Instruction, before: number): string {
  const isNode = node !== "";
  return [
    `      case ${at}:`,
    `        at = ${at};`,
    ...(isSender
      ? []
      : ["        if (state.control !== null && state.control.stopped) return stop(at, state, trace);"]),
    ...(isNode ? [`        entered[${number}] += 1;`, `        times[${before}] = time;`] : []),
    `        value = step${at}.run(value, ${isNode ? `new TracedBus(bus, node${at})` : "bus"});`,
    // Within, for it may be a getter: what throws has not held anything.
    "        waits = value != null && value.then !== undefined;",
    "        if (clock[0] !== tick) {",
    ...(isNode ? [`          counters.hold(${number}, tick);`] : []),
    "          tick = clock[0];",
    "        }",
    "        if (waits) return leave(at, value, state, trace);",
    "        time = trace.now_us;",
    ...(isNode
      ? [`        times[${before + 1}] = time;`, `        counters.took(${number}, time - times[${before}]);`]
      : []),
  ].join("\n");
}
