// A step that begins a kept run and goes on.
//
//   SS1. The id of the new run is made of the run, the node and the visit: a step that runs again after
//        a stop finds the run that it has begun.

import { fault } from "#core/bus/outcome.js";
import { FrameworkError } from "#core/errors.js";
import { RunId } from "#core/ports/run-store.js";
import type { StartDefinition } from "../definition/wait.js";
import type { RunOwner } from "../kept/appended.js";
import { uuidOf } from "../kept/name-uuid.js";
import { pendingOf } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";
import { outermost } from "../run/subject.js";

export const startStep = (
  { axon, child, input: inputOf }: StartDefinition,
  node: string,
  owner: RunOwner | undefined,
): Instruction["step"] => ({
  run(value, bus) {
    const { state } = bus;
    const { apart } = outermost(state).duties;
    if (apart !== null) {
      const runId = childId(state, node);
      const begins = (input: unknown): unknown => {
        const refused = apart.begins(axon, input, runId);
        if (refused === undefined) state.values[state.slotOf(child)] = runId;
        return refused ?? value;
      };
      const input = inputOf(value as never, bus as never);
      return pendingOf(input)?.then(begins) ?? begins(input);
    }
    if (owner?.startRun === undefined)
      throw new FrameworkError(
        "CONFIG_INVALID",
        `startRun of '${axon}' begins a run beside this one, which takes a host: mount both Axons on one ingress`,
      );
    const start = owner.startRun;
    const runId = childId(state, node);
    const begin = async (input: unknown): Promise<unknown> => {
      const started = await start(axon, input, { runId, tells: runIdIn(state) });
      if (started.kind === "refused") return fault(started.error);
      state.values[state.slotOf(child)] = runId;
      return value;
    };
    const input = inputOf(value as never, bus as never);
    return pendingOf(input)?.then(begin) ?? begin(input);
  },
});

/** SS1. */
const childId = (state: RunState, node: string): string =>
  uuidOf(
    JSON.stringify(["run", runIdIn(state), state.duties.journal?.generation ?? 0, node, state.jumpsTaken]),
  );

const runIdIn = (state: RunState): string => state.values[state.slotOf(RunId)] as string;
