// Axons at random, as plain data: what random-axon.ts builds and random-model.ts runs.

import fc from "fast-check";

export type Delay = "sync" | "promise" | "later" | "thenable";

type Op =
  | "next"
  | "fault"
  | "throw"
  | "jump"
  | "branch"
  | "emit"
  /** Faults at its first calls of a run. */
  | "shaky"
  | "abort"
  /** Never answers, and the run is aborted. */
  | "hang"
  /** Never answers, where a time limit ends it. */
  | "stall";

type Strategy = "AllMustSucceed" | "AnyCanFail";

/** What becomes of a compensation. */
export type Undo = "succeeds" | "takes time" | "faults" | "throws";

type Policy =
  | { readonly kind: "none" }
  | { readonly kind: "retry"; readonly retries: number; readonly delayMs: number }
  | { readonly kind: "limit" };

interface Shared {
  readonly policy: Policy;
  readonly undo: Undo | undefined;
}

export interface FunctionPlan extends Shared {
  readonly kind: "function";
  readonly op: Op;
  /** Does `op` where the input leaves this rest when divided by 3; else goes on. */
  readonly rest: number;
  readonly delay: Delay;
  readonly add: number;
  /** Which key it writes, if any. */
  readonly writes: number | undefined;
  /** The branch it may take. */
  readonly body: readonly StepPlan[];
}

interface SubgraphPlan extends Shared {
  readonly kind: "subgraph";
  readonly body: readonly StepPlan[];
}

export interface ParallelPlan extends Shared {
  readonly kind: "parallel";
  readonly strategy: Strategy;
  /** None has a policy of its own: steps of subgraphs among them do. */
  readonly body: readonly StepPlan[];
}

export type StepPlan = FunctionPlan | SubgraphPlan | ParallelPlan;

export interface AxonPlan {
  readonly steps: readonly StepPlan[];
  /** The step that a jump goes to; as many as there are steps is the end. */
  readonly label: number;
  /** Whether it has a sink for dead letters. */
  readonly keepsLetters: boolean;
}

export const hasPolicy = ({ policy, undo }: StepPlan): boolean =>
  policy.kind !== "none" || undo !== undefined;

/** How deep a step nests: a limit around others is so long that it never ends what theirs would. */
export const heightOf = ({ body }: StepPlan): number =>
  body.length === 0 ? 0 : 1 + Math.max(...body.map(heightOf));

export const everyStep = (steps: readonly StepPlan[]): readonly StepPlan[] =>
  steps.flatMap((step) => [step, ...everyStep(step.body)]);

const none = { policy: fc.constant<Policy>({ kind: "none" }), undo: fc.constant(undefined) };

const policies = {
  policy: fc.oneof(
    { arbitrary: fc.constant<Policy>({ kind: "none" }), weight: 4 },
    {
      arbitrary: fc.record({
        kind: fc.constant("retry" as const),
        retries: fc.integer({ min: 0, max: 2 }),
        delayMs: fc.constantFrom(0, 2),
      }),
      weight: 2,
    },
    { arbitrary: fc.constant<Policy>({ kind: "limit" }), weight: 2 },
  ),
  undo: fc.constantFrom<Undo | undefined>(
    undefined,
    undefined,
    undefined,
    "succeeds",
    "succeeds",
    "takes time",
    "faults",
    "throws",
  ),
};

/** The same where nothing may wait. */
const syncPolicies = {
  policy: fc.constantFrom<Policy>(
    { kind: "none" },
    { kind: "retry", retries: 1, delayMs: 0 },
    { kind: "limit" },
  ),
  undo: fc.constantFrom<Undo | undefined>(undefined, "succeeds", "faults", "throws"),
};

const CALM: readonly Op[] = ["next", "next", "emit"];
const FAILING: readonly Op[] = [...CALM, "fault", "throw", "shaky", "shaky"];
const LINE: readonly Op[] = [...FAILING, "next", "jump", "stall", "stall"];
const SYNC: readonly Delay[] = ["sync"];
const DELAYS: readonly Delay[] = ["sync", "sync", "sync", "promise", "later", "thenable"];

type Policies = { readonly [K in keyof Shared]: fc.Arbitrary<Shared[K]> };

function functionPlan(
  ops: readonly Op[],
  delays: readonly Delay[],
  shared: Policies,
  body: fc.Arbitrary<readonly StepPlan[]> = fc.constant([]),
): fc.Arbitrary<FunctionPlan> {
  return fc.record({
    ...shared,
    kind: fc.constant("function" as const),
    op: fc.constantFrom(...ops),
    rest: fc.integer({ min: 0, max: 2 }),
    delay: fc.constantFrom(...delays),
    add: fc.integer({ min: 0, max: 5 }),
    writes: fc.constantFrom(undefined, 0, 1),
    body,
  });
}

const list = (step: fc.Arbitrary<StepPlan>, maxLength = 3): fc.Arbitrary<readonly StepPlan[]> =>
  fc.array(step, { maxLength });

const subgraphPlan = (
  body: fc.Arbitrary<readonly StepPlan[]>,
  shared: Policies = policies,
): fc.Arbitrary<StepPlan> => fc.record({ ...shared, kind: fc.constant("subgraph" as const), body });

// Steps beside each other, so that what each does is certain: where one fault ends all,
// either none waits or none fails; an abort is a synchronous step's.
const company = (
  strategy: Strategy,
  ops: readonly Op[],
  delays: readonly Delay[],
): fc.Arbitrary<StepPlan> => {
  const inside = functionPlan(ops, delays, delays === SYNC ? syncPolicies : policies);
  const child = fc.oneof(functionPlan(ops, delays, none), subgraphPlan(list(inside), none));
  return fc.record({
    ...none,
    kind: fc.constant("parallel" as const),
    strategy: fc.constant(strategy),
    body: fc.array(child, { minLength: 1, maxLength: 3 }),
  });
};

const parallelPlan = fc.oneof(
  company("AllMustSucceed", CALM, DELAYS),
  company("AllMustSucceed", [...CALM, "fault", "throw", "abort"], SYNC),
  company("AnyCanFail", [...FAILING, "stall"], DELAYS),
  company("AnyCanFail", [...FAILING, "abort"], SYNC),
);

const leaf = functionPlan(LINE, DELAYS, policies);
const middle = fc.oneof(
  { arbitrary: leaf, weight: 4 },
  { arbitrary: functionPlan(["branch"], DELAYS, policies, list(leaf)), weight: 1 },
  { arbitrary: functionPlan(["abort", "hang"], DELAYS, policies), weight: 1 },
  { arbitrary: parallelPlan, weight: 1 },
  { arbitrary: subgraphPlan(list(leaf, 2)), weight: 1 },
);
const outer = fc.oneof(
  { arbitrary: functionPlan([...LINE, "jump", "branch", "branch"], DELAYS, policies, list(leaf)), weight: 4 },
  { arbitrary: functionPlan(["abort", "hang"], DELAYS, policies), weight: 1 },
  { arbitrary: parallelPlan, weight: 1 },
  { arbitrary: subgraphPlan(list(middle)), weight: 2 },
);

export const axonPlan: fc.Arbitrary<AxonPlan> = list(outer, 5).chain((steps) =>
  fc.record({
    steps: fc.constant(steps),
    label: fc.integer({ min: 0, max: steps.length }),
    keepsLetters: fc.boolean(),
  }),
);
