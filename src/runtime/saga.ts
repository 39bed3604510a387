// What a run has completed and can undo.
//
//   SG1. A step counts as completed when its answer is there and no fault. One that
//        completes after its run is over, late or aborted, is undone at once.
//   SG2. A fault undoes what its run, or its part of one, has completed: the last
//        first, one after the other, each with its retries.
//   SG3. An abort does not reach compensations: what was begun is brought to its end.
//   SG4. A compensation that fails never does so silently, and the others go on.

import { Control } from "#core/outcome.js";
import { faultIn, outputOf, pendingOf, whenSettled } from "./answers.js";
import type { Instruction } from "./instruction.js";
import { panicOf } from "./panic.js";
import type { Program } from "./program.js";
import { RunState } from "./run-state.js";

/** A completed step, and what undoes it. */
export interface Undoing {
  readonly node: string;
  readonly name: string;
  readonly step: Instruction["step"];
  readonly done: { readonly input: unknown; readonly output: unknown };
  readonly state: RunState;
}

/** Notes for the run that the step has completed, and what undoes it (SG1). */
export const compensatedStep = (
  program: Program,
  inner: Instruction["step"],
  undo: Pick<Undoing, "node" | "name" | "step">,
): Instruction["step"] => ({
  run(input, bus) {
    const { state } = bus;
    return whenSettled(inner.run(input, bus), (answer) => {
      if (faultIn(answer) !== undefined) return;
      const undoing = { ...undo, done: { input, output: outputOf(answer) }, state };
      if (state.isOver) void undoOne(program, undoing);
      else complete(state, undoing);
    });
  },
});

function complete(state: RunState, undoing: Undoing): void {
  state.completed ??= [];
  state.completed.push(undoing);
}

/** Undoes what a run has completed (SG2). Answers a promise where one of them takes time. */
export function undoAll(program: Program, state: RunState): Promise<void> | undefined {
  const completed = state.completed ?? [];
  state.isOver = true;
  state.completed = null;
  return undoFrom(program, completed, completed.length - 1);
}

function undoFrom(program: Program, completed: readonly Undoing[], from: number): Promise<void> | undefined {
  for (let at = from; at >= 0; at -= 1) {
    const pending = undoOne(program, completed[at] as Undoing);
    if (pending !== undefined) return pending.then(() => undoFrom(program, completed, at - 1));
  }
  return undefined;
}

function undoOne(program: Program, undoing: Undoing): Promise<void> | undefined {
  const { state, step, done, name, node } = undoing;
  // Neither the run's end nor its abort are the compensation's (SG3).
  const own = new RunState(state.layout, state.code, state.values);
  own.request = state.request;
  const ended = (answer: unknown): Promise<void> | undefined => {
    const failed = faultIn(answer);
    const isKnown = failed !== undefined || !(answer instanceof Control);
    const outcome = failed === undefined && isKnown ? "next" : "fault";
    state.trace?.tell({ kind: "compensated", node, outcome });
    if (outcome === "next") return undefined;
    return program.ending?.compensationFailed(undoing, failed?.error ?? answer);
  };
  let answer: unknown;
  try {
    answer = step.run(done, own.bus);
  } catch (cause) {
    return ended(panicOf(name, cause));
  }
  const pending = pendingOf(answer);
  if (pending === undefined) return ended(answer);
  return pending.then(ended, (cause) => ended(panicOf(name, cause)));
}
