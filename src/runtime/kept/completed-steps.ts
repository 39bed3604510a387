// Completed steps of a run as its log has them.

import type { CompletedStep } from "#core/ports/run-store.js";
import type { RunState } from "../run/run-state.js";
import type { Undoing } from "../run/undoing.js";
import { encode, encodeBus } from "./durable-value.js";

/** `line` is the state that has the log. Throws NotDurable. */
export function keptStep(
  { node, done, kept, state }: Undoing<RunState>,
  line: RunState,
  maxValueChars: number,
): CompletedStep {
  const step = {
    node,
    input: encode(done.input, `input of ${node}`, maxValueChars),
    output: encode(done.output, `output of ${node}`, maxValueChars),
  };
  // A shared Bus is stored with the run's position.
  if (state.values === line.values || kept.length === 0) return step;
  return { ...step, bus: encodeBus(kept, (key) => state.values[state.slotOf(key)], maxValueChars) };
}

/** Undefined for a step that cannot be stored. */
export function keptStepIfDurable(
  undoing: Undoing<RunState>,
  line: RunState,
  maxValueChars: number,
): CompletedStep | undefined {
  try {
    return keptStep(undoing, line, maxValueChars);
  } catch {
    return undefined;
  }
}
