import { Control } from "#core/outcome.js";
import type { Instruction } from "./instruction.js";

/** Where an Axon's input comes from, if not from the step before, and whether it was checked. */
export interface InputStep {
  readonly read: Instruction["step"] | undefined;
  readonly checked: boolean;
}

export const unchecked: InputStep = { read: undefined, checked: false };

/** The second gets what the first answers; a Control of the first is the answer. */
export const inTurn = (first: Instruction["step"], second: Instruction["step"]): Instruction["step"] => ({
  run(input, bus) {
    const goOn = (value: unknown): unknown => (value instanceof Control ? value : second.run(value, bus));
    const answer = first.run(input, bus);
    return answer instanceof Promise ? answer.then(goOn) : goOn(answer);
  },
});
