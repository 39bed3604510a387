// Stands before each step of a run that is kept, wherever in its line that is: what was
// completed before, and what comes next, is in the log before it begins.

import type { AnyKey } from "#core/bus-key.js";
import { RunId } from "#core/run-store.js";
import { encode, encodeBus } from "./durable-value.js";
import type { Instruction } from "./instruction.js";
import { Journal, type JournalOptions } from "./journal.js";
import { isAddress } from "./kept-keys.js";
import type { RunState } from "./run-state.js";

export interface CheckpointOptions extends JournalOptions {
  readonly newId: () => string;
}

/** `keptAt` are the keys whose values are kept here. */
export const checkpointStep = (
  options: CheckpointOptions,
  node: string,
  keptAt: () => readonly AnyKey[],
): Instruction["step"] => ({
  run(input, { state }) {
    const duties = state.due();
    const { maxValueChars } = options.persistence;
    duties.journal ??= new Journal(options, runIdOf(state, options), state);
    const written = duties.journal.reached(() => ({
      node,
      input: encode(input, "input", maxValueChars),
      bus: encodeBus(
        keptAt(),
        (key) => {
          const known = state.values[state.slotOf(key)];
          // What a request says is made at first read, and there is no request any longer by then.
          return known === undefined && isAddress(key) ? state.make(key) : known;
        },
        maxValueChars,
      ),
      jumps: state.jumpsTaken,
    }));
    return written instanceof Promise ? written.then((failed) => failed ?? input) : (written ?? input);
  },
});

/** Ids longer than this are no ids. */
const MAX_ID = 200;

function runIdOf(state: RunState, { newId }: CheckpointOptions): string {
  const slot = state.slotOf(RunId);
  const id: unknown = state.values[slot] ?? state.make(RunId) ?? newId();
  if (typeof id !== "string" || id === "" || id.length > MAX_ID)
    throw new TypeError(`The run's id has to be a string of 1 to ${MAX_ID} characters`);
  state.values[slot] = id;
  return id;
}
