// Builds the Axon of a random plan: steps that note what they do.

import { type BusKey, busKey } from "#core/bus/bus-key.js";
import { eventKind } from "#core/bus/event.js";
import { branch, emit, fault, isFault, jump } from "#core/bus/outcome.js";
import type { Clock } from "#core/clock.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import {
  type AxonPlan,
  type Delay,
  type FunctionPlan,
  heightOf,
  type ParallelPlan,
  type StepPlan,
  type Undo,
} from "./random-plan.js";

export const MAX_JUMPS = 4;
export const keys: readonly BusKey<number, string>[] = [busKey<number>()("a"), busKey<number>()("b")];
const Told = eventKind<string>()("told");

/** What the steps of one run are given. */
export interface Surroundings {
  /** What they do, in the order in which they do it. */
  readonly effects: string[];
  /** Aborts the run: at once, or, where the step answers in a later turn, while its promise is pending. */
  readonly abort: (delay: Delay) => void;
  readonly clock: Clock;
  readonly letters: DeadLetterSink;
}

/** How often a shaky step faults. */
export const failuresOf = ({ add }: FunctionPlan): number => 1 + (add % 2);

/** What merges: faults count as 7. */
const merged = (results: readonly unknown[], input: number): number =>
  results.reduce<number>((sum, result) => sum + (isFault(result) ? 7 : Number(result)), input) % 1000;

export function buildAxon(plan: AxonPlan, around: Surroundings): AnyAxon {
  const builder = new Builder(around);
  const axon = builder
    .axon("root", plan.steps, plan.label)
    .withMaxJumps(MAX_JUMPS)
    .withEventSink({ send: ({ payload }) => around.effects.push(`told ${payload}`) });
  return plan.keepsLetters ? axon.withDlqSink(around.letters) : axon;
}

class Builder {
  readonly #around: Surroundings;
  readonly #calls = new Map<string, number>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  axon(path: string, steps: readonly StepPlan[], label: number, isLimited = false): AnyAxon {
    let axon = Axon.start<number>(path) as unknown as AnyAxon;
    for (const [i, step] of steps.entries()) {
      if (i === label) axon = axon.label("mark");
      axon = this.#append(axon, `${path}.${i}`, step, isLimited);
    }
    return label >= steps.length ? axon.label("mark") : axon;
  }

  #append(axon: AnyAxon, name: string, step: StepPlan, isLimited: boolean): AnyAxon {
    const { policy, undo } = step;
    const limited = isLimited || policy.kind === "limit";
    let longer: AnyAxon;
    if (step.kind === "parallel") longer = this.#parallel(axon, name, step, limited);
    else {
      const transition = this.#transition(name, step, limited) as never;
      if (policy.kind === "retry")
        longer = axon.thenWithRetry(transition, RetryPolicy.fixed(policy.retries, policy.delayMs)) as AnyAxon;
      else if (policy.kind === "limit")
        longer = axon.thenWithTimeout(transition, 10 * 200 ** heightOf(step)) as AnyAxon;
      else longer = axon.then(transition) as AnyAxon;
    }
    if (undo !== undefined) longer = longer.compensateWith(this.#undo(name, undo)) as AnyAxon;
    if (step.kind !== "function" || step.op !== "branch") return longer;
    return longer.branch("side" as never, this.axon(name, step.body, 0, isLimited) as never) as AnyAxon;
  }

  #transition(name: string, step: StepPlan, isLimited: boolean): AnyTransition {
    return step.kind === "function"
      ? this.#function(name, step, isLimited)
      : this.axon(name, step.body, 0, isLimited).asTransition();
  }

  #parallel(axon: AnyAxon, name: string, { body, strategy }: ParallelPlan, isLimited: boolean): AnyAxon {
    const steps = body.map((step, i) => this.#transition(`${name}.${i}`, step, isLimited));
    const merge = (results: readonly unknown[], input: number): number => {
      this.#around.effects.push(`merge ${name} ${merged(results, input)}`);
      return merged(results, input);
    };
    return axon.parallel(steps as never, strategy, merge as never, { name }) as AnyAxon;
  }

  #function(name: string, step: FunctionPlan, isLimited: boolean): AnyTransition {
    const { effects, abort } = this.#around;
    const key = step.writes === undefined ? undefined : keys[step.writes];
    return {
      name,
      mayWrite: key === undefined ? [] : [key],
      jumps: step.op === "jump" ? ["mark"] : [],
      branches: step.op === "branch" ? ["side"] : [],
      emits: step.op === "emit" ? [Told] : [],
      run: (input: number, bus) => {
        effects.push(key === undefined ? `do ${name} ${input}` : `do ${name} ${input} was ${bus.find(key)}`);
        if (key !== undefined) bus.set(key, input);
        const acts = input % 3 === step.rest;
        if (acts && step.op === "abort") abort(step.delay);
        if (acts && step.op === "hang" && step.delay !== "sync") {
          abort("later");
          return new Promise(() => {});
        }
        if (acts && step.op === "stall" && isLimited) return new Promise(() => {});
        return this.#delayed(step.delay, () => (acts ? this.#act(name, step, input) : input + step.add));
      },
    };
  }

  #act(name: string, step: FunctionPlan, input: number): unknown {
    const value = input + step.add;
    switch (step.op) {
      case "fault":
        return fault(`fault ${name} ${input}`);
      case "throw":
        throw `thrown ${input}`;
      case "shaky": {
        const calls = (this.#calls.get(name) ?? 0) + 1;
        this.#calls.set(name, calls);
        return calls <= failuresOf(step) ? fault(`shaky ${name} ${calls}`) : value;
      }
      case "jump":
        return jump("mark", value);
      case "branch":
        return branch("side", value);
      case "emit":
        return emit(Told, `${name} ${input}`, value);
      default:
        return value;
    }
  }

  #undo(name: string, undo: Undo): (done: { input: unknown; output: unknown }) => unknown {
    return ({ input, output }) => {
      this.#around.effects.push(`undo ${name} ${input} ${output}`);
      if (undo === "throws") throw "not undone";
      if (undo === "takes time") return this.#delayed("later", () => undefined);
      return undo === "faults" ? fault("not undone") : undefined;
    };
  }

  #delayed(delay: Delay, make: () => unknown): unknown {
    if (delay === "sync") return make();
    if (delay === "promise") return Promise.resolve().then(make);
    const later = (resolve: (value: unknown) => void, reject: (error: unknown) => void): void => {
      this.#around.clock.after(1, () => {
        try {
          resolve(make());
        } catch (error) {
          reject(error);
        }
      });
    };
    return delay === "later" ? new Promise(later) : { then: later };
  }
}
