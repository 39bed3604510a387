// The checks of what goes into an Axon and comes out of it, as steps of its line.

import type { TSchema } from "@sinclair/typebox";

import { fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import { compileSchema } from "#schema/validator.js";
import { type AxonDefinition, outputSchemaOf } from "./axon-definition.js";
import type { Instruction } from "./instruction.js";

interface CheckOptions {
  readonly production: boolean;
  /** Whether code may be generated for it. */
  readonly generate: boolean;
}

export const inputCheck = (
  axon: AxonDefinition,
  schema: TSchema,
  { generate }: CheckOptions,
): Instruction["step"] => checkStep(axon, schema, "INPUT_INVALID", generate);

/** Undefined where the output is not checked: there is no schema, or the Axon or the mode lets it pass. */
export function outputCheck(
  axon: AxonDefinition,
  { production, generate }: CheckOptions,
): Instruction["step"] | undefined {
  const check = axon.outputCheck ?? (production ? "pass" : "validate");
  const schema = check === "validate" ? outputSchemaOf(axon) : undefined;
  return schema && checkStep(axon, schema, "OUTPUT_INVALID", generate);
}

function checkStep(
  axon: AxonDefinition,
  schema: TSchema,
  code: "INPUT_INVALID" | "OUTPUT_INVALID",
  generate: boolean,
): Instruction["step"] {
  const owner = `Axon '${axon.name}', ${code === "INPUT_INVALID" ? "input" : "output"}`;
  const { check, errors } = compileSchema(schema, { owner, origin: "program", generate });
  return {
    run: (value: unknown): unknown =>
      check(value) ? value : fault(runtimeFault({ code, axon: axon.name, errors: errors(value) })),
  };
}
