// Axons at random, and what they mean: a model that runs a description step by
// step with nothing of the executors in it.

import fc from "fast-check";

import { type BusKey, busKey } from "#core/bus-key.js";
import { eventKind } from "#core/event.js";
import { branch, emit, fault, jump } from "#core/outcome.js";
import type { AnyTransition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";

export type Delay = "sync" | "promise" | "later" | "thenable";
type Op = "next" | "fault" | "throw" | "jump" | "branch" | "emit" | "abort" | "hang";

export interface StepPlan {
  readonly op: Op;
  /** Does `op` where the input leaves this rest when divided by 3; else goes on. */
  readonly rest: number;
  readonly delay: Delay;
  readonly add: number;
  /** Which key it writes, if any. */
  readonly writes: number | undefined;
  readonly body: readonly StepPlan[];
}

export interface AxonPlan {
  readonly steps: readonly StepPlan[];
  /** The step that a jump goes to; as many as there are steps is the end. */
  readonly label: number;
}

/** What a run did, as the executors and the model both tell it. */
export interface Trace {
  outcome: unknown;
  readonly effects: string[];
  readonly bus: Record<string, unknown>;
}

const MAX_JUMPS = 4;
const keys: readonly BusKey<number, string>[] = [busKey<number>()("a"), busKey<number>()("b")];
const Told = eventKind<number>()("told");

const stepPlan = (op: fc.Arbitrary<Op>, body: fc.Arbitrary<readonly StepPlan[]>): fc.Arbitrary<StepPlan> =>
  fc.record({
    op,
    rest: fc.integer({ min: 0, max: 2 }),
    delay: fc.constantFrom<Delay>("sync", "sync", "sync", "promise", "later", "thenable"),
    add: fc.integer({ min: 0, max: 5 }),
    writes: fc.constantFrom(undefined, 0, 1),
    body,
  });

const leaf = stepPlan(
  fc.constantFrom<Op>("next", "next", "next", "fault", "throw", "emit", "jump"),
  fc.constant([]),
);
const node = stepPlan(
  fc.constantFrom<Op>(
    "next",
    "next",
    "next",
    "branch",
    "branch",
    "emit",
    "jump",
    "jump",
    "fault",
    "throw",
    "abort",
    "hang",
  ),
  fc.array(leaf, { maxLength: 3 }),
);

export const axonPlan: fc.Arbitrary<AxonPlan> = fc
  .array(node, { maxLength: 6 })
  .chain((steps) =>
    fc.record({ steps: fc.constant(steps), label: fc.integer({ min: 0, max: steps.length }) }),
  );

/** Aborts the run: at once, or, where the step answers in a later turn, while its promise is pending. */
export type Abort = (delay: Delay) => void;

/** Builds the Axon of a plan. Its steps and sinks write to `effects`; `abort` is called by steps that abort. */
export function buildAxon(plan: AxonPlan, effects: string[], abort: Abort): AnyAxon {
  return build("root", plan.steps, plan.label, effects, abort)
    .withMaxJumps(MAX_JUMPS)
    .withEventSink({ send: ({ payload }) => effects.push(`told ${payload}`) });
}

function build(
  path: string,
  steps: readonly StepPlan[],
  label: number,
  effects: string[],
  abort: Abort,
): AnyAxon {
  let axon = Axon.start<number>(path) as unknown as AnyAxon;
  for (const [i, step] of steps.entries()) {
    if (i === label) axon = axon.label("mark");
    axon = axon.then(transitionOf(`${path}.${i}`, step, effects, abort) as never) as AnyAxon;
    if (step.op === "branch") {
      axon = axon.branch(
        "side" as never,
        build(`${path}.${i}`, step.body, 0, effects, abort) as never,
      ) as AnyAxon;
    }
  }
  return label === steps.length || steps.length === 0 ? axon.label("mark") : axon;
}

function transitionOf(name: string, step: StepPlan, effects: string[], abort: Abort): AnyTransition {
  const key = step.writes === undefined ? undefined : keys[step.writes];
  return {
    name,
    mayWrite: key === undefined ? [] : [key],
    jumps: step.op === "jump" ? ["mark"] : [],
    branches: step.op === "branch" ? ["side"] : [],
    emits: step.op === "emit" ? [Told] : [],
    run(input: number, bus) {
      effects.push(`${name} ${input}`);
      if (key !== undefined) bus.set(key, input);
      const acts = input % 3 === step.rest;
      if (acts && step.op === "abort") abort(step.delay);
      if (acts && step.op === "hang" && step.delay !== "sync") {
        abort("later");
        return new Promise(() => {});
      }
      return delayed(step.delay, () => answer(step, input, acts));
    },
  };
}

function answer({ op, add }: StepPlan, input: number, acts: boolean): unknown {
  const value = input + add;
  if (!acts) return value;
  if (op === "fault") return fault(`fault ${input}`);
  if (op === "throw") throw `thrown ${input}`;
  if (op === "jump") return jump("mark", value);
  if (op === "branch") return branch("side", value);
  return op === "emit" ? emit(Told, input, value) : value;
}

function delayed(delay: Delay, make: () => unknown): unknown {
  if (delay === "sync") return make();
  if (delay === "promise") return Promise.resolve().then(make);
  const later = (resolve: (value: unknown) => void, reject: (error: unknown) => void): void => {
    setImmediate(() => {
      try {
        resolve(make());
      } catch (error) {
        reject(error);
      }
    });
  };
  return delay === "later" ? new Promise(later) : { then: later };
}

/** What a run of the plan does, by the meaning of outcomes alone. */
export function model(plan: AxonPlan, input: number): Trace {
  const run: ModelRun = { effects: [], bus: {}, jumps: 0, aborting: false };
  const outcome = modelSteps("root", plan.steps, plan.label, input, run);
  return {
    outcome,
    effects: run.effects,
    bus: Object.fromEntries(keys.map(({ name }) => [name, run.bus[name]])),
  };
}

interface ModelRun {
  readonly effects: string[];
  readonly bus: Record<string, unknown>;
  jumps: number;
  /** A synchronous step has aborted: the next step does not run. */
  aborting: boolean;
}

/** The value at the end, or a string that says why the run ended before. */
function modelSteps(
  path: string,
  steps: readonly StepPlan[],
  label: number,
  input: number,
  run: ModelRun,
): unknown {
  let value = input;
  let at = 0;
  for (let step = steps[at]; step !== undefined; step = steps[at]) {
    if (run.aborting) return "aborted";
    const name = `${path}.${at}`;
    const { op, add, delay } = step;
    const acts = value % 3 === step.rest;
    run.effects.push(`${name} ${value}`);
    if (step.writes !== undefined) run.bus[keys[step.writes]?.name ?? ""] = value;
    if (acts && (op === "abort" || op === "hang") && delay !== "sync") return "aborted";
    if (acts && op === "abort") run.aborting = true;
    if (acts && op === "fault") return `fault ${value}`;
    if (acts && op === "throw") return `panic ${name} thrown ${value}`;
    if (acts && op === "emit") run.effects.push(`told ${value}`);
    value += add;
    at += 1;
    if (acts && op === "jump") {
      run.jumps += 1;
      if (run.jumps > MAX_JUMPS) return `jump limit ${name}`;
      at = label;
    } else if (acts && op === "branch") {
      const inner = modelSteps(name, step.body, 0, value, run);
      if (typeof inner !== "number") return inner;
      value = inner;
    }
  }
  return value;
}
