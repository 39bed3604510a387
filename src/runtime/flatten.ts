import type { TSchema } from "@sinclair/typebox";

import type { AnyKey } from "#core/bus-key.js";
import type { EventSink } from "#core/event.js";
import { fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import { compileSchema } from "#schema/validator.js";
import { type AxonDefinition, outputSchemaOf, type StepDefinition } from "./axon-definition.js";
import { checkedStep } from "./checked-step.js";
import { END, type Instruction } from "./instruction.js";
import { branchBody, labelIndex } from "./soundness.js";

export interface FlattenOptions {
  readonly production: boolean;
  readonly generate: boolean;
  /** The outermost Axon's input was checked before, against the same schema. */
  readonly inputChecked: boolean;
  /** Makes a value that steps read, where making it may take time: runs before each step that declares the key. */
  readonly awaited: ReadonlyMap<AnyKey, Instruction["step"]>;
}

export interface Flat {
  readonly code: readonly Instruction[];
  /** How many instructions the main line has: they come first. */
  readonly length: number;
}

interface Draft extends Instruction {
  next: number;
  readonly jumps: Map<string, number>;
  readonly branches: Map<string, number>;
}

/** Lays an Axon out as instructions. Throws where it could not run: an open branch, a jump to nothing, a schema that does not compile. */
export function flatten(axon: AxonDefinition, options: FlattenOptions): Flat {
  const code: Draft[] = [];
  const { length } = place(axon, END, [], options, options.inputChecked, code);
  return { code, length };
}

/** Appends the Axon's own line, which goes on at `rejoin`, and after it the bodies of its branches. */
function place(
  axon: AxonDefinition,
  rejoin: number,
  outerSinks: readonly EventSink[],
  options: FlattenOptions,
  inputChecked: boolean,
  code: Draft[],
): { readonly entry: number; readonly length: number } {
  const begin = code.length;
  const sinks = [...new Set([...axon.sinks, ...outerSinks])];

  if (axon.input !== undefined && !inputChecked)
    code.push(schemaCheck(axon, axon.input, "INPUT_INVALID", options));
  const placed = axon.steps.map((step) => placeStep(step, sinks, options, code));
  const tail = code.length;
  const output = checkedOutput(axon, options);
  if (output !== undefined) code.push(schemaCheck(axon, output, "OUTPUT_INVALID", options));
  const end = code.length;

  for (let at = begin; at < end; at += 1) (code[at] as Draft).next = at + 1 < end ? at + 1 : rejoin;
  for (const { step, instruction } of placed) {
    for (const label of step.transition.jumps ?? []) {
      const index = labelIndex(axon, step, label);
      instruction.jumps.set(label, placed[index]?.start ?? (tail < end ? tail : rejoin));
    }
    for (const id of step.transition.branches ?? []) {
      const body = branchBody(axon, step, id);
      instruction.branches.set(id, place(body, instruction.next, sinks, options, false, code).entry);
    }
  }
  return { entry: begin < end ? begin : rejoin, length: end - begin };
}

interface Placed {
  readonly step: StepDefinition;
  readonly instruction: Draft;
  /** Where the step begins, with what has to be made before it. */
  readonly start: number;
}

function placeStep(
  step: StepDefinition,
  sinks: readonly EventSink[],
  options: FlattenOptions,
  code: Draft[],
): Placed {
  const { transition } = step;
  const start = code.length;
  for (const key of [...(transition.reads ?? []), ...(transition.mayRead ?? [])]) {
    const make = options.awaited.get(key);
    if (make !== undefined) code.push(draft(`provide '${key.name}'`, make));
  }
  const instruction = draft(transition.name, options.production ? transition : checkedStep(transition), {
    reads: transition.reads ?? [],
    writes: transition.writes ?? [],
    emits: new Set((transition.emits ?? []).map((kind) => kind.name)),
    sinks,
  });
  code.push(instruction);
  return { step, instruction, start };
}

type Declared = Pick<Instruction, "reads" | "writes" | "emits" | "sinks">;

const nothing: Declared = { reads: [], writes: [], emits: new Set(), sinks: [] };

function draft(name: string, step: Instruction["step"], declared = nothing): Draft {
  return { name, step, ...declared, next: END, jumps: new Map(), branches: new Map() };
}

function checkedOutput(axon: AxonDefinition, { production }: FlattenOptions): TSchema | undefined {
  const check = axon.outputCheck ?? (production ? "pass" : "validate");
  return check === "validate" ? outputSchemaOf(axon) : undefined;
}

function schemaCheck(
  axon: AxonDefinition,
  schema: TSchema,
  code: "INPUT_INVALID" | "OUTPUT_INVALID",
  { generate }: FlattenOptions,
): Draft {
  const what = code === "INPUT_INVALID" ? "input" : "output";
  const { check, errors } = compileSchema(schema, {
    owner: `Axon '${axon.name}', ${what}`,
    origin: "program",
    generate,
  });
  const step = {
    run: (value: unknown): unknown =>
      check(value) ? value : fault(runtimeFault({ code, axon: axon.name, errors: errors(value) })),
  };
  return draft(`${axon.name} ${what}`, step);
}
