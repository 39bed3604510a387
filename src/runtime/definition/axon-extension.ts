// The functions that extend an Axon: each returns a new definition.

import type { TSchema } from "@sinclair/typebox";
import { MAX_TIMER_MS } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { AxonDefinition, Budget, StepBody, StepDefinition } from "./axon-definition.js";
import { callSite } from "./call-site.js";
import { ExecutionMode } from "./execution-mode.js";
import { invalidStep, requireName, requireStep } from "./required-step.js";
import { type RetryPolicy, requireRetryPolicy } from "./retry-policy.js";
import type { Compensation } from "./saga-policy.js";
import { endsAxon, type WaitingStep } from "./waiting-step.js";

type Caller = (...args: never[]) => unknown;

export function emptyDefinition(name: string, input: TSchema | undefined, caller: Caller): AxonDefinition {
  requireName("Axon", name);
  return {
    name,
    version: "1.0.0",
    input,
    output: undefined,
    outputCheck: undefined,
    layers: [],
    guards: [],
    iam: undefined,
    steps: [],
    labels: new Map(),
    sinks: [],
    saga: undefined,
    dlqSink: undefined,
    dlqPolicy: undefined,
    audit: undefined,
    maxJumps: 1000,
    mode: ExecutionMode.local(),
    persistence: undefined,
    subject: undefined,
    runLabels: new Map(),
    budget: undefined,
    site: callSite(caller),
  };
}

export type StepPolicies = Partial<Pick<StepDefinition, "retry" | "timeoutMs" | "undo">>;

export function appendStep(
  axon: AxonDefinition,
  transition: AnyTransition,
  caller: Caller,
  policies: StepPolicies = {},
): AxonDefinition {
  requireOpenEnd(axon, `step '${transition?.name}'`);
  const step = stepOf(axon.steps, transition, `Axon '${axon.name}'`, caller, policies);
  return { ...axon, steps: [...axon.steps, step] };
}

export function appendWaiting(
  axon: AxonDefinition,
  { transition, body }: WaitingStep,
  caller: Caller,
): AxonDefinition {
  const appended = appendStep(axon, transition, caller);
  const step = appended.steps.at(-1) as StepDefinition;
  return { ...appended, steps: [...axon.steps, { ...step, body }] };
}

/** Throws AXON_STEP_INVALID if the run leaves the Axon by its last step. */
function requireOpenEnd({ name, steps }: AxonDefinition, appended: string): void {
  if (!endsAxon(steps.at(-1)?.body)) return;
  throw invalidStep(
    `Axon '${name}' has ${appended} after continueAs, behind which nothing runs: move it in front, or give continueAs a branch of its own`,
  );
}

export function appendParallel(
  axon: AxonDefinition,
  name: string,
  transitions: readonly AnyTransition[],
  { strategy, merge }: Pick<Extract<StepBody, { kind: "parallel" }>, "strategy" | "merge">,
  caller: Caller,
): AxonDefinition {
  const owner = `Axon '${axon.name}', parallel step '${name}'`;
  requireOpenEnd(axon, `the parallel step '${name}'`);
  if (strategy !== "AllMustSucceed" && strategy !== "AnyCanFail")
    throw invalidOption(owner, `strategy '${strategy}' is neither 'AllMustSucceed' nor 'AnyCanFail'`);
  if (transitions.length === 0 || typeof merge !== "function")
    throw invalidStep(`${owner} needs at least one step, and a function that merges`);
  const steps: StepDefinition[] = [];
  for (const part of transitions) {
    steps.push(stepOf(steps, part, owner, caller));
    requireNoRouting(part, owner);
  }
  const transition = { name, run: () => undefined };
  const step = stepOf(axon.steps, transition, `Axon '${axon.name}'`, caller);
  return { ...axon, steps: [...axon.steps, { ...step, body: { kind: "parallel", steps, strategy, merge } }] };
}

/** `before` are the earlier steps: its occurrence is counted among them. */
export function stepOf(
  before: readonly StepDefinition[],
  transition: AnyTransition,
  owner: string,
  caller: Caller,
  policies: StepPolicies = {},
): StepDefinition {
  requireStep(transition, owner);
  const { retry } = policies;
  if (retry !== undefined) requireRetryPolicy(`the step '${transition.name}' of ${owner}`, retry);
  const subgraph = subgraphs.get(transition);
  return {
    transition,
    body: subgraph === undefined ? { kind: "function" } : { kind: "subgraph", axon: subgraph },
    retry,
    timeoutMs: policies.timeoutMs ?? transition.offload?.timeoutMs,
    undo: policies.undo,
    occurrence: before.filter((step) => step.transition.name === transition.name).length,
    branches: new Map(),
    site: callSite(caller),
  };
}

/** A parallel step has no place in the line to branch or jump from. */
function requireNoRouting({ name, branches = [], jumps = [] }: AnyTransition, owner: string): void {
  if (branches.length === 0 && jumps.length === 0) return;
  throw invalidStep(
    `${owner}: step '${name}' declares branches or jumps; put it in an Axon of its own and use its asTransition()`,
  );
}

const subgraphs = new WeakMap<object, AxonDefinition>();

export function asTransition(axon: AxonDefinition): AnyTransition {
  const transition: AnyTransition = Object.freeze({
    name: axon.name,
    run: () => {
      throw invalidStep(`Axon '${axon.name}' as a step has no function of its own: append it to an Axon`);
    },
  });
  subgraphs.set(transition, axon);
  return transition;
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
  requireOpenEnd(axon, `the label '${name}'`);
  if (axon.labels.has(name)) {
    const message = `Axon '${axon.name}' has two labels '${name}': rename one`;
    throw new FrameworkError("AXON_LABEL_DUPLICATE", message);
  }
  return { ...axon, labels: new Map([...axon.labels, [name, axon.steps.length]]) };
}

export function compensation(
  undo: AnyTransition | ((...args: never[]) => unknown),
  step: string,
  retry: RetryPolicy<string> | undefined,
): Compensation {
  if (retry !== undefined) requireRetryPolicy(`what undoes step '${step}'`, retry);
  if (typeof undo === "function") {
    const run = undo as AnyTransition["run"];
    return { transition: { name: undo.name || `undo ${step}`, run }, isBare: true, retry };
  }
  if (typeof undo?.run !== "function")
    throw invalidStep(`What undoes step '${step}' is neither a function nor a step`);
  return { transition: undo, isBare: false, retry };
}

export function compensateLast(
  axon: AxonDefinition,
  undo: AnyTransition | ((...args: never[]) => unknown),
  retry: RetryPolicy<string> | undefined,
): AxonDefinition {
  const last = axon.steps.at(-1);
  if (last === undefined || last.undo !== undefined) {
    const why = last === undefined ? "has no step yet" : `undoes '${last.transition.name}' already`;
    throw invalidStep(
      `Axon '${axon.name}' ${why}: call compensateWith once, right after the step that it undoes`,
    );
  }
  const step = { ...last, undo: compensation(undo, last.transition.name, retry) };
  return { ...axon, steps: [...axon.steps.slice(0, -1), step] };
}

export function requireTimeout(axon: AxonDefinition, timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS) return timeoutMs;
  throw invalidOption(
    `Axon '${axon.name}': a time limit of ${timeoutMs} for a step`,
    `it takes milliseconds above 0, at most ${MAX_TIMER_MS}`,
  );
}

export function limitJumps(axon: AxonDefinition, maxJumps: number): AxonDefinition {
  if (Number.isSafeInteger(maxJumps) && maxJumps >= 0) return { ...axon, maxJumps };
  throw invalidOption(`Axon '${axon.name}'`, `withMaxJumps(${maxJumps}) must be a whole number from 0`);
}

/** Throws CONFIG_INVALID. */
export function withBudget(axon: AxonDefinition, budget: Budget): AxonDefinition {
  const call = `budget() of Axon '${axon.name}'`;
  requireKnownOptions(call, budget, ["p99Ms", "bytes"]);
  const { p99Ms, bytes } = budget;
  if (p99Ms === undefined && bytes === undefined) throw invalidOption(call, "give p99Ms, bytes, or both");
  if (p99Ms !== undefined && !(p99Ms > 0 && p99Ms < Number.POSITIVE_INFINITY))
    throw invalidOption(call, `p99Ms is ${p99Ms}: give milliseconds above 0`);
  if (bytes !== undefined) requireWhole(call, "bytes", bytes, 0, Number.MAX_SAFE_INTEGER);
  return { ...axon, budget };
}
