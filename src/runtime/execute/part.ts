import { isFault } from "#core/bus/outcome.js";
import { inLog } from "../kept/journal.js";
import { type Fork, inFork } from "../run/fork.js";
import type { Instruction } from "../run/instruction.js";
import type { Part } from "../run/instruction-shape.js";
import type { ProgramPort } from "../run/program-port.js";
import { runFrom } from "./loop.js";
import { keep, undoAll } from "./saga.js";

/** An Axon as one step, if it cannot stand in the line of its Axon: it is retried, or has a time limit. */
export const subgraphStep = (program: ProgramPort, part: Part): Instruction["step"] => ({
  run: (input, bus) => inFork(bus.state, "shared", (fork) => runPart(program, part, input, fork)),
});

/** Runs a part to its end, in its own fork. Returns its outcome, or a promise of it. */
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

/** Undoes the completed steps of a part that faults: the part may be retried, or its fault tolerated. */
export function finished(program: ProgramPort, state: Fork, outcome: unknown): unknown {
  if (program.ending === undefined) return outcome;
  if (outcome instanceof Promise) return outcome.then((settled) => finished(program, state, settled));
  const { journal } = state.duties;
  // The line of an Axon inside layers has the Axon's log.
  const logged = journal === null ? outcome : inLog(journal, state, outcome, () => undoAll(program, state));
  if (logged instanceof Promise) return logged.then((settled) => closed(program, state, settled));
  return closed(program, state, logged);
}

function closed(program: ProgramPort, state: Fork, outcome: unknown): unknown {
  const { journal, lock } = state.duties;
  if (journal !== null && !isFault(outcome)) {
    // The run around it is over: the part is undone, and its log records that.
    if (state.run.duties.isOver) return finished(program, state, state.control.abortion());
    journal.passTo(state.run);
  }
  const isUndone = journal !== null;
  const undone = !isFault(outcome) ? keep(program, state) : isUndone ? undefined : undoAll(program, state);
  // Not earlier: compensations run under the lock too.
  const released = undone === undefined ? lock?.release() : undone.then(() => lock?.release());
  return released?.then(() => outcome) ?? outcome;
}
