// The data behind an Axon, and the few ways to extend it. Plain and immutable:
// compiling, drawing and explaining all read this.

import type { TSchema } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import type { EventSink } from "#core/event.js";
import type { AnyTransition } from "#core/transition.js";
import { type CallSite, callSite } from "./call-site.js";

/** Whether outputs are checked against the output schema. */
export type OutputCheck = "validate" | "pass";

export interface StepDefinition {
  readonly transition: AnyTransition;
  /** The first step of this name is 0, the second 1: names may repeat. */
  readonly occurrence: number;
  readonly branches: ReadonlyMap<string, AxonDefinition>;
  readonly site: CallSite;
}

export interface AxonDefinition {
  readonly name: string;
  readonly version: string;
  readonly input: TSchema | undefined;
  readonly output: TSchema | undefined;
  /** Undefined: as the mode says. */
  readonly outputCheck: OutputCheck | undefined;
  readonly steps: readonly StepDefinition[];
  /** Label to the index of the step it stands before. */
  readonly labels: ReadonlyMap<string, number>;
  readonly sinks: readonly EventSink[];
  readonly maxJumps: number;
  readonly site: CallSite;
}

type Caller = (...args: never[]) => unknown;

export function emptyDefinition(name: string, input: TSchema | undefined, caller: Caller): AxonDefinition {
  requireName("Axon", name);
  return {
    name,
    version: "1.0.0",
    input,
    output: undefined,
    outputCheck: undefined,
    steps: [],
    labels: new Map(),
    sinks: [],
    maxJumps: 1000,
    site: callSite(caller),
  };
}

export function appendStep(axon: AxonDefinition, transition: AnyTransition, caller: Caller): AxonDefinition {
  requireName(`Step of Axon '${axon.name}'`, transition?.name);
  if (typeof transition.run !== "function") {
    throw new FrameworkError(
      "AXON_STEP_INVALID",
      `Step '${transition.name}' of Axon '${axon.name}' has no function 'run'`,
    );
  }
  const occurrence = axon.steps.filter((step) => step.transition.name === transition.name).length;
  const step = { transition, occurrence, branches: new Map(), site: callSite(caller) };
  return { ...axon, steps: [...axon.steps, step] };
}

export function attachBranch(axon: AxonDefinition, id: string, body: AxonDefinition): AxonDefinition {
  const last = axon.steps.at(-1);
  if (last === undefined || !(last.transition.branches ?? []).includes(id)) {
    const where =
      last === undefined
        ? "before the first step"
        : `after step '${last.transition.name}', which does not declare it`;
    throw new FrameworkError(
      "AXON_BRANCH_UNDECLARED",
      `Axon '${axon.name}' attaches branch '${id}' ${where}: call .branch('${id}', axon) right after the step that has it in 'branches'`,
    );
  }
  if (last.branches.has(id)) {
    throw new FrameworkError(
      "AXON_BRANCH_DUPLICATE",
      `Axon '${axon.name}', step '${last.transition.name}': branch '${id}' has an Axon already; remove one of the two calls`,
    );
  }
  const step = { ...last, branches: new Map([...last.branches, [id, body]]) };
  return { ...axon, steps: [...axon.steps.slice(0, -1), step] };
}

export function placeLabel(axon: AxonDefinition, name: string): AxonDefinition {
  requireName(`Label of Axon '${axon.name}'`, name);
  if (axon.labels.has(name)) {
    throw new FrameworkError(
      "AXON_LABEL_DUPLICATE",
      `Axon '${axon.name}' has two labels '${name}': rename one`,
    );
  }
  return { ...axon, labels: new Map([...axon.labels, [name, axon.steps.length]]) };
}

export function limitJumps(axon: AxonDefinition, maxJumps: number): AxonDefinition {
  if (!Number.isSafeInteger(maxJumps) || maxJumps < 0) {
    throw new FrameworkError(
      "CONFIG_INVALID",
      `Axon '${axon.name}': withMaxJumps(${maxJumps}) must be a whole number from 0`,
    );
  }
  return { ...axon, maxJumps };
}

/** The schema of what comes out: the Axon's own, else that of its last step where nothing else rejoins. */
export function outputSchemaOf(axon: AxonDefinition): TSchema | undefined {
  const last = axon.steps.at(-1);
  if (axon.output !== undefined || last === undefined || last.branches.size > 0) return axon.output;
  return last.transition.output;
}

function requireName(what: string, name: unknown): void {
  if (typeof name === "string" && name !== "") return;
  throw new FrameworkError(
    "AXON_NAME_INVALID",
    `${what} needs a name: a string that is not empty, not ${JSON.stringify(name)}`,
  );
}
