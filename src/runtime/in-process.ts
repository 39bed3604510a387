// Running an Axon without a server: `axon.execute(input, bus?, signal?)`.

import type { Bus } from "#core/bus.js";
import type { AxonDefinition } from "./axon-definition.js";
import { missingKeys, requireNoneMissing } from "./definite-assignment.js";
import { Program } from "./program.js";
import { RunControl } from "./run-control.js";
import type { RunState } from "./run-state.js";
import { loopRun } from "./straight.js";

export type Execute = (input: unknown, bus?: Bus, signal?: AbortSignal) => unknown;

/** Compiles an Axon to the function that runs it. `given` are the keys of the first caller's Bus. */
export function compileExecute(axon: AxonDefinition, given: Bus | undefined): Execute {
  const program = new Program(axon);
  const { run } = program;
  const runAbortable = loopRun(program);
  // Types tell which keys a caller must give; this is for the untyped, once.
  requireNoneMissing(missingKeys(axon.name, program.code, given?.entries.map(([key]) => key) ?? []));
  const withBus: Execute = (input, bus, signal) => {
    const state = program.acquire();
    if (bus !== undefined) fill(state, bus);
    if (signal === undefined) return run(input, state);
    state.control = new RunControl();
    state.control.follow(signal);
    return runAbortable(input, state);
  };
  return (input, bus, signal) => {
    if (bus !== undefined || signal !== undefined) return withBus(input, bus, signal);
    return run(input, program.acquire());
  };
}

/** Puts given values where the steps look for them. Keys that no step declares are left out. */
export function fill(state: RunState, bus: Bus): void {
  for (const [key, value] of bus.entries) {
    const slot = state.table[key.slot] ?? 0;
    if (slot !== 0) state.values[slot] = value;
  }
}
