import type { AnyKey } from "#core/bus/bus-key.js";
import { isFault } from "#core/bus/outcome.js";
import { FencingToken } from "#core/ports/lock.js";
import { runFrom } from "../execute/loop.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";

/** Runs from an instruction in the middle, under the Axon's lock; a run from the start takes the lock itself. */
export function enterAt(program: ProgramPort, at: number, input: unknown, state: RunState): unknown {
  const { lock } = program;
  // A run that failed before it was stopped only has to be undone.
  if (state.duties.journal?.failure !== undefined) return state.duties.journal.failure;
  if (lock === undefined || state.duties.lock !== null) return runFrom(program, at, input, state);
  const goOn = (taken: unknown): unknown => (isFault(taken) ? taken : runFrom(program, at, taken, state));
  const taken = lock.run(input, state.bus);
  if (!(taken instanceof Promise)) return goOn(taken);
  state.waited = true;
  return taken.then((settled) => {
    const outcome = goOn(settled);
    // If the loop waits, it reports the end to the control itself.
    if (!(outcome instanceof Promise)) state.control?.end(outcome);
    return outcome;
  });
}

/** The Bus values of a run that begins there, beside the given ones. */
export const keysOnEntry = ({ lock }: ProgramPort): readonly AnyKey[] =>
  lock === undefined ? [] : [FencingToken];

/** Runs `body` under the Axon's lock, if it has one. Returns its answer, or the fault of the lock. */
export function underLock(program: ProgramPort, state: RunState, body: () => unknown): unknown {
  return program.lock === undefined ? body() : locked(program, state, body);
}

async function locked({ lock }: ProgramPort, state: RunState, body: () => unknown): Promise<unknown> {
  const taken = await lock?.run(undefined, state.bus);
  if (isFault(taken)) return taken;
  try {
    return await body();
  } finally {
    await state.duties.lock?.release();
  }
}
