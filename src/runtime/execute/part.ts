import { isFault } from "#core/bus/outcome.js";
import { inLog } from "../kept/journal.js";
import { type Fork, inFork } from "../run/fork.js";
import type { Instruction } from "../run/instruction.js";
import type { Part } from "../run/instruction-shape.js";
import type { ProgramPort } from "../run/program-port.js";
import { runFrom } from "./loop.js";
import { keep, undoAll } from "./saga.js";

/** An Axon as one step, where it cannot stand in its Axon's own line: it is tried again, or has a time limit. */
export const subgraphStep = (program: ProgramPort, part: Part): Instruction["step"] => ({
  run: (input, bus) => inFork(bus.state, "shared", (fork) => runPart(program, part, input, fork)),
});

/** Runs a part to its end, in a fork of its own. Answers its outcome, or a promise of it. */
export function runPart(program: ProgramPort, { entry }: Part, input: unknown, state: Fork): unknown {
  const outcome = finished(program, state, runFrom(program, entry, input, state));
  if (program.ending !== undefined && outcome instanceof Promise) state.run.addPart(outcome);
  if (!state.waited) state.control?.end(outcome);
  const { trace } = state.duties;
  if (trace === null) return outcome;
  const left = (settled: unknown): unknown => {
    trace.leaveAll(state, state.control?.aborted === true ? "aborted" : "fault", settled);
    return settled;
  };
  return outcome instanceof Promise ? outcome.then(left) : left(outcome);
}

/** A part that faults undoes what it has completed: it may be tried again, or its fault be put up with. */
export function finished(program: ProgramPort, state: Fork, outcome: unknown): unknown {
  if (program.ending === undefined) return outcome;
  if (outcome instanceof Promise) return outcome.then((settled) => finished(program, state, settled));
  const { journal } = state.duties;
  // The line of an Axon that layers stand around has its log.
  const logged = journal === null ? outcome : inLog(journal, state, outcome, () => undoAll(program, state));
  if (logged instanceof Promise) return logged.then((settled) => closed(program, state, settled));
  return closed(program, state, logged);
}

function closed(program: ProgramPort, state: Fork, outcome: unknown): unknown {
  const { journal, lock } = state.duties;
  if (journal !== null && !isFault(outcome)) {
    // What is around it has answered: it is undone, and its log says so.
    if (state.run.duties.isOver) return finished(program, state, state.control.abortion());
    journal.passTo(state.run);
  }
  const isUndone = journal !== null;
  const undone = !isFault(outcome) ? keep(program, state) : isUndone ? undefined : undoAll(program, state);
  // Not before: what undoes is under the lock too.
  const released = undone === undefined ? lock?.release() : undone.then(() => lock?.release());
  return released?.then(() => outcome) ?? outcome;
}
