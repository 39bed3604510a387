// The Axon that a replay runs: its own steps, each with its treatment.
//
//   RX1. A step runs if it is declared `pure`, or if it is declared nothing and uses only what the log
//        keeps: no resource, no client. Of any other step the stored outcome is given back, as of a
//        Synapse and of a step of a thread. So is that of all steps of a parallel step or of a subgraph
//        with policies, if one inside neither runs nor has an outcome of its own in the log.
//   RX2. Nothing leaves the process: no event, letter, audit event, lock or compensation.

import type { AnyKey } from "#core/bus/bus-key.js";
import { isFault } from "#core/bus/outcome.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { LockLease } from "#core/ports/lock.js";
import { keysOfStep } from "../check/used-keys.js";
import { standsInLine } from "../compile/flatten.js";
import type { AxonDefinition, StepBody, StepDefinition } from "../definition/axon-definition.js";
import { ExecutionMode } from "../definition/execution-mode.js";
import { decided } from "../definition/surroundings.js";
import type { WaitDefinition } from "../definition/wait.js";
import { axonId, branchPath, guardId, iamId, stepId } from "../run/node-id.js";
import { durableKeys, OWN } from "../steps/checkpoint-step.js";

type Run = AnyTransition["run"];
type Call = (...args: never[]) => unknown;

/** What a step does in a replay. `part` is the step of the line that it is inside. */
export interface Treatments {
  /** Calls a function of the program with the clock of the log, without effects. Its last argument is the Bus, if the step has keys. */
  readonly run: (node: string, step: Pick<AnyTransition, "name" | "reads" | "mayRead">, call: Call) => Call;
  /** Gives back what the next entry of the log has. `written`: the keys that it may have written. */
  readonly give: (node: string, step: AnyTransition, written: readonly AnyKey[]) => Run;
  /** Gives back the outcome of its own in the log. */
  readonly recorded: (node: string, step: AnyTransition, part: string) => Run;
}

export interface ReplayedAxonOptions {
  readonly treatments: Treatments;
  /** Names of keys that no step writes, and whose values are there: in the log, or given by the caller. */
  readonly there: ReadonlySet<string>;
  /** Ids of the steps with parts whose outcome is given back as a whole. */
  readonly whole: ReadonlySet<string>;
}

export function replayedAxon(axon: AxonDefinition, options: ReplayedAxonOptions): AxonDefinition {
  const own = { ...axon, guards: [], layers: [] };
  return new Replaying(axon, options).axon(decided(own), axonId(axon.name));
}

class Replaying {
  readonly #options: ReplayedAxonOptions;
  /** The keys that the log can have. */
  readonly #kept: ReadonlySet<AnyKey>;

  constructor(axon: AxonDefinition, options: ReplayedAxonOptions) {
    this.#options = options;
    this.#kept = durableKeys(axon, true);
  }

  /** `part`: the step of the line that it is inside; undefined for the line. RX2. */
  axon(axon: AxonDefinition, path: string, part?: string): AxonDefinition {
    const { iam, mode, persistence } = axon;
    const step = (of: StepDefinition, id: string): StepDefinition => this.#step(of, id, part);
    return {
      ...axon,
      ...{ sinks: [], saga: undefined, dlqSink: undefined, dlqPolicy: undefined, audit: undefined },
      guards: axon.guards.map((guard) => step(guard, guardId(path, guard))),
      iam: iam && { ...iam, step: step(iam.step, iamId(path)) },
      steps: axon.steps.map((of) => step(of, stepId(path, of))),
      mode: mode.kind === "local" ? mode : ExecutionMode.singleton(mode.lockKey, MAX_TIMER_MS, NO_LOCKS),
      persistence: persistence && { ...persistence, store: NO_STORE },
    };
  }

  #step(of: StepDefinition, id: string, part: string | undefined): StepDefinition {
    const { body, transition, undo, branches } = of;
    const isPart = body.kind === "parallel" || (body.kind === "subgraph" && !standsInLine(of));
    const inside = isPart ? (part ?? id) : part;
    const attached = [...branches].map(
      ([name, axon]) => [name, this.axon(axon, branchPath(id, name), part)] as const,
    );
    const stripped: StepDefinition = {
      ...of,
      undo: undo && { ...undo, transition: withRun(undo.transition, () => undefined), retry: undefined },
      branches: new Map(attached),
      // A part is tried again as it was. A limit would make of a subgraph with one another line.
      ...(isPart ? { timeoutMs: of.timeoutMs && MAX_TIMER_MS } : { retry: undefined, timeoutMs: undefined }),
    };
    if (isPart && part === undefined && this.#isWhole(of, id)) return this.#given(stripped, id);
    if (body.kind === "function") return { ...stripped, transition: this.#treated(transition, id, part) };
    return { ...stripped, body: this.#body(body, id, transition, inside) };
  }

  #body(body: StepBody, id: string, transition: AnyTransition, part: string | undefined): StepBody {
    const { run } = this.#options.treatments;
    const guarded = <C extends Call>(call: C): C => run(id, transition, call) as C;
    switch (body.kind) {
      case "function":
        return body;
      case "subgraph":
        return { ...body, axon: this.axon(body.axon, id, part) };
      case "parallel":
        return {
          ...body,
          steps: body.steps.map((of) => this.#step(of, stepId(id, of), part)),
          merge: run(id, { name: transition.name }, body.merge) as typeof body.merge,
        };
      case "start":
        return { ...body, start: { ...body.start, input: guarded(body.start.input) } };
      case "wait":
        return { ...body, wait: withGuarded(body.wait, guarded) };
    }
  }

  #treated(transition: AnyTransition, id: string, part: string | undefined): AnyTransition {
    const { run, give, recorded } = this.#options.treatments;
    const { audit, kind, writes = [], mayWrite = [] } = transition;
    if (audit !== undefined) return withRun(transition, (input) => input, { audit: undefined });
    if (this.#runs(transition)) {
      const call: Run = (input, bus) => transition.run(input, bus);
      return withRun(transition, run(id, transition, call) as Run);
    }
    const keys = [...writes, ...mayWrite];
    const given = part === undefined ? give(id, transition, keys) : recorded(id, transition, part);
    // A guard returns its very input, or a fault.
    const decided: Run = (input, bus) => {
      const outcome = given(input, bus);
      return isFault(outcome) ? outcome : input;
    };
    return withRun(transition, kind === "guard" ? decided : given);
  }

  /** RX1. */
  #runs({ pure, effect, kind, offload, reads = [], mayRead = [] }: AnyTransition): boolean {
    if (effect === true || kind === "synapse" || offload !== undefined) return false;
    if (pure === true) return true;
    return [...reads, ...mayRead].every((key) => this.#isThere(key));
  }

  #isThere(key: AnyKey): boolean {
    return this.#kept.has(key) || OWN.includes(key) || this.#options.there.has(key.name);
  }

  #isWhole(of: StepDefinition, id: string): boolean {
    return this.#options.whole.has(id) || innerStepsOf(of).some((step) => this.#isUnkept(step));
  }

  #isUnkept({ body, transition }: StepDefinition): boolean {
    if (body.kind !== "function" || transition.audit !== undefined) return false;
    return transition.effect !== true && !this.#runs(transition);
  }

  #given(of: StepDefinition, id: string): StepDefinition {
    const { transition } = of;
    const written = innerStepsOf(of).flatMap(({ transition: { writes = [], mayWrite = [] } }) => [
      ...writes,
      ...mayWrite,
    ]);
    // All that its parts use: the log keeps the same keys in front of it.
    const reads = [...keysOfStep(of)].filter((key) => !written.includes(key));
    const run = this.#options.treatments.give(id, transition, written);
    return {
      ...of,
      body: { kind: "function" },
      transition: withRun(transition, run, { mayRead: [...(transition.mayRead ?? []), ...reads] }),
      retry: undefined,
      timeoutMs: undefined,
    };
  }
}

/** The declarations of a step may be those of its class. */
const withRun = (
  step: AnyTransition,
  run: Run,
  others: { readonly [K in keyof AnyTransition]?: AnyTransition[K] | undefined } = {},
): AnyTransition =>
  Object.create(step, Object.getOwnPropertyDescriptors({ ...others, run })) as AnyTransition;

/** The functions of a program in it, guarded. */
function withGuarded(wait: WaitDefinition, guarded: <C extends Call>(call: C) => C): WaitDefinition {
  switch (wait.kind) {
    case "sleep":
      return typeof wait.until === "function" ? { ...wait, until: guarded(wait.until) } : wait;
    case "continue":
      return { ...wait, input: guarded(wait.input) };
    case "signals":
    case "run":
      return wait.take === undefined ? wait : { ...wait, take: guarded(wait.take) };
  }
}

/** The steps inside a step, those of attached branches too. */
function innerStepsOf({ body, branches }: StepDefinition): readonly StepDefinition[] {
  const axons = [...branches.values(), ...(body.kind === "subgraph" ? [body.axon] : [])];
  const direct = [
    ...axons.flatMap(({ guards, iam, steps }) => [...guards, ...(iam ? [iam.step] : []), ...steps]),
    ...(body.kind === "parallel" ? body.steps : []),
  ];
  return direct.flatMap((step) => [step, ...innerStepsOf(step)]);
}

const unused = (): never => {
  throw new Error("A replay writes no log and takes no lock");
};

const NO_STORE = {
  ...{ append: unused, read: unused, unfinished: unused, remove: unused, forget: unused },
  ...{ beat: unused, leave: unused, waits: {} as never },
};

let tokens = 0;

const NO_LOCKS = {
  acquire: (key: string): LockLease => {
    tokens += 1;
    return { key, token: tokens };
  },
  renew: () => true,
  release: () => true,
};
