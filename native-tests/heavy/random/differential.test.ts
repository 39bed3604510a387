// Random Axons, run by each executor and by a model: equal outcome, equal order of
// effects, equal Bus, equal dead letters. Counters prove that each kind of step took part.
//
// Steps beside each other take turns, in an order that nobody promises: what each of
// them does is compared by itself. So is, in any order, what undoes a step that may complete
// after its run.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { isFault } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import { Program } from "#runtime/compile/program.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { type Executor, executors, runOnce } from "../../support/executors.js";
import { buildAxon, type Surroundings } from "../../support/random-axon.js";
import { model, type Trace } from "../../support/random-model.js";
import { type AxonPlan, axonPlan, type Delay, everyStep, type StepPlan } from "../../support/random-plan.js";

const RUNS = 1000;
/** Longer than any limit. */
const FOREVER_MS = 1e9;

interface Run extends Surroundings {
  readonly clock: ManualClock;
  readonly kept: string[];
  readonly controller: AbortController;
  readonly executor: Executor;
}

function surroundings(executor: Executor): Run {
  const clock = new ManualClock();
  const controller = new AbortController();
  const kept: string[] = [];
  const send = ({ kind, node, input, error, attempts }: DeadLetter): void =>
    void kept.push(`${kind} ${node} ${JSON.stringify(input)} ${readable(error)} ${attempts}`);
  const abort = (delay: Delay): void => {
    if (delay === "sync" || delay === "promise") controller.abort();
    else queueMicrotask(() => controller.abort());
  };
  const options = { ...executor.options, clock, reporter: () => {} };
  return {
    effects: [],
    abort,
    clock,
    letters: { send },
    kept,
    controller,
    executor: { ...executor, options },
  };
}

/** Runs a plan as an executor does, with a signal that its own steps abort. */
async function traced(plan: AxonPlan, input: number, executor: Executor): Promise<Trace> {
  const run = surroundings(executor);
  const running = runOnce(buildAxon(plan, run), input, run.executor, run.controller.signal);
  await run.clock.advance(FOREVER_MS);
  const { outcome, bus } = await running;
  return {
    outcome: readable(isFault(outcome) ? outcome.error : outcome),
    effects: run.effects,
    bus: { a: bus["a"], b: bus["b"] },
    letters: run.kept.sort(),
  };
}

/** The same without a signal, as most runs are: for plans that do not abort. */
async function tracedUncontrolled(plan: AxonPlan, input: number, executor: Executor): Promise<Trace> {
  const run = surroundings(executor);
  const program = new Program(buildAxon(plan, run).definition, run.executor.options);
  if (executor.level !== undefined) program.watch?.watch(executor.level);
  const running = program.run(input, program.acquire());
  await run.clock.advance(FOREVER_MS);
  const outcome = await running;
  assert.equal(run.clock.timers, 0, "a timer is left");
  return {
    outcome: readable(isFault(outcome) ? outcome.error : outcome),
    effects: run.effects,
    bus: {},
    letters: run.kept.sort(),
  };
}

function readable(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return error;
  const fault = error as RuntimeFault;
  if (fault.code === "TRANSITION_PANIC") return `panic ${fault.step} ${fault.cause}`;
  if (fault.code === "JUMP_LIMIT") return `jump limit ${fault.step}`;
  if (fault.code === "STEP_TIMEOUT") return `timeout ${fault.step}`;
  return fault.code === "RUN_ABORTED" ? "aborted" : error;
}

/** The effects by what their order is certain in. */
function streams(
  plan: AxonPlan,
  effects: readonly string[],
  isRaced = false,
): Record<string, readonly string[]> {
  const streamOf = new Map<string, string>();
  const late = new Set<string>();
  const walk = (steps: readonly StepPlan[], path: string, stream: string): void => {
    for (const [i, step] of steps.entries()) {
      const name = `${path}.${i}`;
      streamOf.set(name, stream);
      if (step.kind === "function" && step.op === "abort") late.add(name);
      if (step.kind !== "parallel") walk(step.body, name, stream);
      else for (const child of step.body.keys()) walkChild(step.body, child, name);
    }
  };
  const walkChild = (steps: readonly StepPlan[], i: number, path: string): void => {
    const name = `${path}.${i}`;
    streamOf.set(name, name);
    const step = steps[i] as StepPlan;
    if (step.kind === "function" && step.op === "abort") late.add(name);
    walk(step.body, name, name);
  };
  walk(plan.steps, "root", "main");

  const found: Record<string, string[]> = {};
  for (const effect of effects) {
    const [what, name = ""] = effect.split(" ");
    const isLate = what === "undo" && (isRaced || late.has(name));
    const stream = isLate ? `late ${name}` : (streamOf.get(name) ?? "");
    found[stream] ??= [];
    found[stream].push(effect);
    if (isLate) found[stream].sort();
  }
  return found;
}

const isAborting = (step: StepPlan): boolean =>
  step.kind === "function" && (step.op === "abort" || step.op === "hang");
const inputs = fc.integer({ min: 0, max: 30 });

describe("executors agree with the model", () => {
  const seen = new Map<string, number>();
  const count = (kind: string): void => void seen.set(kind, (seen.get(kind) ?? 0) + 1);

  function countAll(plan: AxonPlan, { outcome, effects, letters }: Trace): void {
    for (const step of everyStep(plan.steps)) {
      if (step.kind === "function") count(`${step.op} ${step.delay}`);
      else count(step.kind === "parallel" ? step.strategy : `${step.kind} ${step.policy.kind}`);
      if (step.undo !== undefined) count(`undo ${step.undo}`);
    }
    if (typeof outcome === "string") count(`ends with ${outcome.split(" ")[0]}`);
    if (effects.some((effect) => effect.startsWith("undo"))) count("something is undone");
    if (effects.some((effect) => effect.startsWith("merge"))) count("something is merged");
    if (new Set(effects).size < effects.length) count("something is done again");
    for (const letter of letters) count(`letter of a ${letter.split(" ")[0]}`);
  }

  for (const executor of executors) {
    test(`${executor.name}: with a signal`, async () => {
      await fc.assert(
        fc.asyncProperty(axonPlan, inputs, async (plan, input) => {
          const { isRaced, ...expected } = model(plan, input);
          const trace = await traced(plan, input, executor);

          assert.deepEqual(
            { ...trace, effects: streams(plan, trace.effects, isRaced) },
            { ...expected, effects: streams(plan, expected.effects, isRaced) },
          );
          countAll(plan, expected);
        }),
        { numRuns: RUNS },
      );
    });

    test(`${executor.name}: without a signal`, async () => {
      const unaborted = axonPlan.filter(({ steps }) => !everyStep(steps).some(isAborting));
      await fc.assert(
        fc.asyncProperty(unaborted, inputs, async (plan, input) => {
          const { isRaced, ...expected } = model(plan, input);
          const trace = await tracedUncontrolled(plan, input, executor);

          assert.deepEqual(
            { ...trace, effects: streams(plan, trace.effects, isRaced) },
            { ...expected, effects: streams(plan, expected.effects, isRaced), bus: {} },
          );
          countAll(plan, expected);
        }),
        { numRuns: RUNS },
      );
    });
  }

  test("every kind of step and of end took part", () => {
    const ops = ["next", "fault", "throw", "jump", "branch", "emit", "shaky", "abort", "hang", "stall"];
    const steps = ops.flatMap((op) =>
      ["sync", "promise", "later", "thenable"].map((delay) => `${op} ${delay}`),
    );
    const composites = ["AllMustSucceed", "AnyCanFail", "subgraph none", "subgraph retry", "subgraph limit"];
    const undos = ["succeeds", "takes time", "faults", "throws"].map((undo) => `undo ${undo}`);
    const ends = ["fault", "panic", "shaky", "aborted", "jump", "timeout"].map((end) => `ends with ${end}`);
    const deeds = ["something is undone", "something is merged", "something is done again"];
    const letters = ["letter of a step", "letter of a compensation"];

    for (const kind of [...steps, ...composites, ...undos, ...ends, ...deeds, ...letters])
      assert.ok((seen.get(kind) ?? 0) >= 20, `${kind}: ${seen.get(kind) ?? 0} times`);
  });
});
