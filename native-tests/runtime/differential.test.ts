// Random Axons, run by each executor and by a model: equal outcome, equal order of
// effects, equal Bus. Counters prove that each kind of step took part.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { isFault } from "#core/outcome.js";
import type { RuntimeFault } from "#core/runtime-fault.js";
import { Program } from "#runtime/program.js";
import { type Executor, executors, runOnce } from "../support/executors.js";
import {
  type AxonPlan,
  axonPlan,
  buildAxon,
  type Delay,
  model,
  type StepPlan,
  type Trace,
} from "../support/random-axon.js";

const RUNS = 600;

/** Runs a plan as an executor does, with a signal that its own steps abort. */
async function traced(plan: AxonPlan, input: number, executor: Executor): Promise<Trace> {
  const controller = new AbortController();
  const effects: string[] = [];
  const abort = (delay: Delay): void => {
    if (delay === "sync" || delay === "promise") controller.abort();
    else queueMicrotask(() => controller.abort());
  };
  const axon = buildAxon(plan, effects, abort);
  const { outcome, bus } = await runOnce(axon, input, executor, controller.signal);
  // What a pending step brings after an abort has the time to do harm.
  await new Promise((resolve) => setImmediate(resolve));
  return { outcome: readable(outcome), effects, bus: { a: bus["a"], b: bus["b"] } };
}

/** The same without a signal, as most runs are: for plans that do not abort. */
async function tracedUncontrolled(plan: AxonPlan, input: number, executor: Executor): Promise<Trace> {
  const effects: string[] = [];
  const axon = buildAxon(plan, effects, () => {});
  const program = new Program(axon.definition, executor.options);
  if (executor.level !== undefined) program.watch?.watch(executor.level);
  const outcome = await program.run(input, program.acquire());
  return { outcome: readable(outcome), effects, bus: {} };
}

function readable(outcome: unknown): unknown {
  if (!isFault(outcome)) return outcome;
  const error = outcome.error as RuntimeFault | string;
  if (typeof error === "string") return error;
  if (error.code === "TRANSITION_PANIC") return `panic ${error.step} ${error.cause}`;
  if (error.code === "JUMP_LIMIT") return `jump limit ${error.step}`;
  return error.code === "RUN_ABORTED" ? "aborted" : error;
}

const everyStep = (steps: readonly StepPlan[]): readonly StepPlan[] =>
  steps.flatMap((step) => [step, ...everyStep(step.body)]);
const aborts = (plan: AxonPlan): boolean =>
  everyStep(plan.steps).some(({ op }) => op === "abort" || op === "hang");

describe("executors agree with the model", () => {
  const seen = new Map<string, number>();
  const count = (kind: string): void => void seen.set(kind, (seen.get(kind) ?? 0) + 1);

  for (const executor of executors) {
    test(`${executor.name}: with a signal`, async () => {
      await fc.assert(
        fc.asyncProperty(axonPlan, fc.integer({ min: 0, max: 30 }), async (plan, input) => {
          const expected = model(plan, input);
          const trace = await traced(plan, input, executor);

          assert.deepEqual(trace, expected);
          for (const { op, delay } of everyStep(plan.steps)) count(`${op} ${delay}`);
          if (typeof expected.outcome === "string") count(expected.outcome.split(" ")[0] as string);
          if (expected.effects.some((effect) => effect.startsWith("root.") && effect.split(".").length > 2))
            count("in a branch");
        }),
        { numRuns: RUNS },
      );
    });

    test(`${executor.name}: without a signal`, async () => {
      await fc.assert(
        fc.asyncProperty(
          axonPlan.filter((plan) => !aborts(plan)),
          fc.integer({ min: 0, max: 30 }),
          async (plan, input) => {
            const { outcome, effects } = model(plan, input);
            const trace = await tracedUncontrolled(plan, input, executor);

            assert.deepEqual([trace.outcome, trace.effects], [outcome, effects]);
          },
        ),
        { numRuns: RUNS },
      );
    });
  }

  test("every kind of step and of end took part", () => {
    const ops = ["next", "fault", "throw", "jump", "branch", "emit", "abort", "hang"];
    const steps = ops.flatMap((op) =>
      ["sync", "promise", "later", "thenable"].map((delay) => `${op} ${delay}`),
    );
    const ends = ["fault", "panic", "aborted", "jump", "in a branch"];

    for (const kind of [...steps, ...ends])
      assert.ok((seen.get(kind) ?? 0) >= 20, `${kind}: ${seen.get(kind) ?? 0} times`);
  });
});
