// The checks of an Axon's input and output, as steps of its line.

import type { TSchema } from "@sinclair/typebox";
import { Control, fault } from "#core/bus/outcome.js";
import { dataOf, noData } from "#core/bus/reply.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import { compileSchema } from "#schema/compile/validator.js";
import { type AxonDefinition, outputSchemaOf } from "../definition/axon-definition.js";
import type { Instruction } from "../run/instruction.js";

interface CheckOptions {
  readonly generate: boolean;
}

export function inputCheck(
  axon: AxonDefinition,
  schema: TSchema,
  { generate }: CheckOptions,
): Instruction["step"] {
  const { check, errors } = compileSchema(schema, optionsOf(axon, "input", generate));
  return { run: (value) => (check(value) ? value : invalid(axon, "INPUT_INVALID", errors(value))) };
}

/** Returns the value, or a fault if it is invalid. Undefined if the output is not checked. */
export function outputChecked(
  axon: AxonDefinition,
  { generate }: CheckOptions,
): ((value: unknown) => unknown) | undefined {
  const schema = axon.outputCheck === "pass" ? undefined : outputSchemaOf(axon);
  if (schema === undefined) return undefined;
  const { check, errors } = compileSchema(schema, optionsOf(axon, "output", generate));
  return (value) => {
    const data = dataOf(value);
    if (data === noData || check(data)) return value;
    return invalid(
      axon,
      "OUTPUT_INVALID",
      data === undefined ? notReturned(axon, errors(data)) : errors(data),
    );
  };
}

/** The same as a step; returns RUN_ABORTED for the data of a run that was aborted. */
export function outputCheck(axon: AxonDefinition, options: CheckOptions): Instruction["step"] | undefined {
  const checked = outputChecked(axon, options);
  if (checked === undefined) return undefined;
  return {
    run: (value, { state: { control } }) =>
      control?.stopped === true && dataOf(value) !== noData ? control.abortion() : checked(value),
  };
}

const notReturned = ({ steps }: AxonDefinition, errors: readonly SchemaError[]): readonly SchemaError[] => {
  const step = steps.at(-1)?.transition.name ?? "";
  const why = `; step '${step}' answered undefined, is a return missing?`;
  return errors.map((error) => ({ ...error, expected: `${error.expected}${why}` }));
};

const optionsOf = ({ name }: AxonDefinition, end: "input" | "output", generate: boolean) =>
  ({ owner: `Axon '${name}', ${end}`, origin: "program", generate }) as const;

const invalid = (
  { name }: AxonDefinition,
  code: "INPUT_INVALID" | "OUTPUT_INVALID",
  errors: readonly SchemaError[],
): unknown => fault(runtimeFault({ code, axon: name, errors }));

/** The source of an Axon's input, if not the step before, and whether it was checked. */
export interface InputStep {
  readonly read: Instruction["step"] | undefined;
  readonly checked: boolean;
}

export const unchecked: InputStep = { read: undefined, checked: false };

/** Runs both: the second gets the answer of the first; a Control of the first is returned. */
export const inTurn = (first: Instruction["step"], second: Instruction["step"]): Instruction["step"] => ({
  run(input, bus) {
    const goOn = (value: unknown): unknown => (value instanceof Control ? value : second.run(value, bus));
    const answer = first.run(input, bus);
    return answer instanceof Promise ? answer.then(goOn) : goOn(answer);
  },
});
