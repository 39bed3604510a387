// Undoes the completed steps of a run after a fault: the last first, one after another, and
// parts of the run before the run. A step that completes after its run is over is undone at once.
// An abort does not reach compensations. One that fails does not stop the others.

import { Control, fault, isEmit, isFault } from "#core/bus/outcome.js";
import { faultIn, outputOf, panicOf, settled, whenSettled } from "../run/answers.js";
import type { Fork } from "../run/fork.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunJournal } from "../run/run-journal.js";
import { type RunBus, RunState } from "../run/run-state.js";
import type { Undoing, UndoStep } from "../run/undoing.js";

export const compensatedStep = (
  program: ProgramPort,
  inner: Instruction["step"],
  undo: UndoStep<RunBus> & Pick<Undoing<RunState>, "node">,
): Instruction["step"] => ({
  run(input, bus) {
    const { state } = bus;
    return whenSettled(inner.run(input, bus), (answer) => {
      if (faultIn(answer) !== undefined) return;
      const undoing = { ...undo, done: { input, output: outputOf(answer) }, state };
      if (state.duties.isOver) void undoOne(program, undoing);
      else complete(state, undoing);
    });
  },
});

function complete(state: RunState, undoing: Undoing<RunState>): void {
  const duties = state.due();
  duties.completed ??= [];
  duties.completed.push(undoing);
}

/** Adds the completed steps of a fork to its run; undoes them if the run is over. */
export function keep(program: ProgramPort, fork: Fork): Promise<void> | undefined {
  if (fork.run.duties.isOver) return undoAll(program, fork);
  const { completed } = fork.duties;
  if (completed === null) return undefined;
  for (const undoing of completed) complete(fork.run, undoing);
  fork.due().completed = null;
  return undefined;
}

/** Undoes the completed steps of a run. Returns a promise if a compensation takes time. */
export function undoAll(program: ProgramPort, state: RunState): Promise<void> | undefined {
  const duties = state.due();
  duties.isOver = true;
  const { parts } = duties;
  if (parts !== null && parts.size > 0) return Promise.all(parts).then(() => undoAll(program, state));
  const completed = duties.completed ?? [];
  duties.completed = null;
  return undoFrom(program, completed, completed.length - 1, duties.journal);
}

function undoFrom(
  program: ProgramPort,
  completed: readonly Undoing<RunState>[],
  from: number,
  journal: RunJournal<RunState> | null,
): Promise<void> | undefined {
  for (let at = from; at >= 0; at -= 1) {
    // The process that resumes the run undoes the rest.
    if (journal?.lost !== undefined) return undefined;
    const undone = undoOne(program, completed[at] as Undoing<RunState>);
    const pending = journal === null ? undone : noted(undone, journal, at);
    if (pending !== undefined) return pending.then(() => undoFrom(program, completed, at - 1, journal));
  }
  return undefined;
}

/** Writes to the log that a step is undone. */
function noted(
  undone: Promise<void> | undefined,
  journal: RunJournal<RunState>,
  left: number,
): Promise<void> | undefined {
  const note = (): Promise<void> | undefined => {
    const written = journal.undone(left);
    return written instanceof Promise ? written.then(() => undefined) : undefined;
  };
  return undone === undefined ? note() : undone.then(note);
}

function undoOne(program: ProgramPort, undoing: Undoing<RunState>): Promise<void> | undefined {
  const { state, node, done, values = state.values } = undoing;
  // Neither the run's end nor its abort apply to a compensation. Its time limit gives it a Bus
  // that is closed after it (F2); the values array is reused by later runs.
  const own = new RunState(state.layout, values);
  own.request = state.request;
  const ended = (answer: unknown): Promise<void> | undefined => {
    const failed = faultIn(answer);
    state.duties.trace?.tell({ kind: "compensated", node, outcome: failed === undefined ? "next" : "fault" });
    return failed === undefined ? undefined : program.ending?.compensationFailed(undoing, failed);
  };
  const answer = compensate(undoing, done, own);
  return answer instanceof Promise ? answer.then(ended) : ended(answer);
}

/** Runs the compensation of a step. Returns a fault if it failed, or a promise, which never rejects. */
export function compensate(
  { name, step }: Omit<UndoStep<RunBus>, "kept">,
  done: unknown,
  state: RunState,
): unknown {
  // A branch or jump has no target here.
  const meant = (answer: unknown): unknown =>
    answer instanceof Control && !isEmit(answer) && !isFault(answer) ? fault(answer) : answer;
  return settled(
    () => step.run(done, state.bus),
    meant,
    (cause) => panicOf(name, cause),
  );
}
