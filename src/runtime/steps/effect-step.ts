// Records what an effect inside a step comes to: replays give it back. An effect in the line needs no
// record, because the entry behind it has its outcome.

import type { AnyKey } from "#core/bus/bus-key.js";
import { isBranch, isEmit, isFault, isJump } from "#core/bus/outcome.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { KeptEffect } from "#core/ports/run-store.js";
import { Session } from "#core/ports/session.js";
import { KEYS_OF_RUN } from "../check/used-keys.js";
import { encode, encodeBus, encodeError } from "../kept/durable-value.js";
import { panicOf, whenSettled } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import type { RunJournal } from "../run/run-journal.js";
import type { RunState } from "../run/run-state.js";

/** `step` has its policies: what counts is what it comes to after its retries. */
export function effectStep(
  { name, writes = [], mayWrite = [] }: AnyTransition,
  node: string,
  step: Instruction["step"],
  maxValueChars: number,
): Instruction["step"] {
  const keys = [...writes, ...mayWrite].filter(isStorable);
  return {
    run(input, bus) {
      const { state } = bus;
      // Taken now: a step that outlasts its time limit may settle in another run's state.
      const journal = journalOf(state);
      if (journal === undefined) return step.run(input, bus);
      const keep = (answer: unknown): void => {
        // The run goes on without it.
        if (!isOver(state)) journal.keepEffect(() => keptEffect(node, answer, keys, state, maxValueChars));
      };
      const panicked = (cause: unknown): never => {
        keep(panicOf(name, cause));
        throw cause;
      };
      try {
        return whenSettled(step.run(input, bus), keep, panicked);
      } catch (cause) {
        return panicked(cause);
      }
    },
  };
}

/** As in checkpoints. */
const isStorable = (key: AnyKey): boolean => key !== (Session as AnyKey) && !KEYS_OF_RUN.includes(key);

const journalOf = ({ duties, around }: RunState): RunJournal<RunState> | undefined =>
  duties.journal ?? (around && journalOf(around));

const isOver = ({ duties, around }: RunState): boolean =>
  duties.isOver || (around !== undefined && isOver(around));

/** What cannot be stored does not harm the run. */
function keptEffect(
  node: string,
  answer: unknown,
  keys: readonly AnyKey[],
  state: RunState,
  maxValueChars: number,
): KeptEffect {
  try {
    const outcome = outcomeIn(answer, maxValueChars);
    const bus = encodeBus(keys, (key) => state.values[state.slotOf(key)], maxValueChars);
    return { node, outcome, ...(Object.keys(bus).length > 0 && { bus }) };
  } catch {
    return { node };
  }
}

function outcomeIn(answer: unknown, maxValueChars: number): NonNullable<KeptEffect["outcome"]> {
  const encoded = (value: unknown) => encode(value, "outcome", maxValueChars);
  if (isEmit(answer)) return outcomeIn(answer.value, maxValueChars);
  if (isFault(answer)) return { kind: "fault", error: encodeError(answer.error) };
  if (isJump(answer)) return { kind: "jump", label: answer.label, value: encoded(answer.payload) };
  if (isBranch(answer)) return { kind: "branch", id: answer.id, value: encoded(answer.payload) };
  return { kind: "next", value: encoded(answer) };
}
