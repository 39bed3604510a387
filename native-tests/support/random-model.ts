// What the run of a random plan does, by the meaning of outcomes alone: a model with
// nothing of the executors in it, and without time.

import { failuresOf, keys, MAX_JUMPS } from "./random-axon.js";
import {
  type AxonPlan,
  type FunctionPlan,
  hasPolicy,
  type ParallelPlan,
  type StepPlan,
} from "./random-plan.js";

/** What a run did, as the executors and the model both tell it. */
export interface Trace {
  readonly outcome: unknown;
  readonly effects: readonly string[];
  readonly bus: Readonly<Record<string, unknown>>;
  /** Node, kind, input and error of each. */
  readonly letters: readonly string[];
  /** Whether it was aborted by a step of a part that goes on while the run ends: then both are undone at once. */
  readonly isRaced?: boolean;
}

type Answer =
  | { readonly kind: "next" | "jump" | "branch"; readonly value: number }
  /** Final: a retry inside has given it up. */
  | { readonly kind: "fault"; readonly error: string; readonly isFinal: boolean }
  | { readonly kind: "aborted" }
  /** Waits for the time limit around it. */
  | { readonly kind: "stalled" };

interface Done {
  readonly step: StepPlan;
  readonly name: string;
  readonly node: string;
  readonly input: number;
  readonly output: number;
}

/** The run, or a part of it that is undone by itself. */
interface Frame {
  readonly isMain: boolean;
  readonly bus: Record<string, unknown>;
  readonly completed: Done[];
}

interface Place {
  readonly name: string;
  readonly node: string;
  readonly isLimited: boolean;
}

const ABORTED: Answer = { kind: "aborted" };
const faulted = (error: string): Answer => ({ kind: "fault", error, isFinal: false });

export function model(plan: AxonPlan, input: number): Trace {
  return new Model(plan).run(input);
}

class Model {
  readonly #plan: AxonPlan;
  readonly #effects: string[] = [];
  readonly #letters: string[] = [];
  readonly #calls = new Map<string, number>();
  #jumps = 0;
  /** A synchronous step has aborted: the next step does not run. */
  #isAborting = false;
  /** The main line waits for a part that has waited. */
  #isWaiting = false;
  #isRaced = false;
  #failed: readonly [node: string, input: number] | undefined;

  constructor(plan: AxonPlan) {
    this.#plan = plan;
  }

  run(input: number): Trace {
    const { steps, label } = this.#plan;
    const frame: Frame = { isMain: true, bus: {}, completed: [] };
    const answer = this.#line({ name: "root", node: "root", isLimited: false }, steps, label, input, frame);
    if (answer.kind !== "next") this.#undoAll(frame);
    if (answer.kind === "fault" && this.#failed !== undefined)
      this.#send("step", this.#failed[0], this.#failed[1], answer.error);
    return {
      outcome: answer.kind === "next" ? answer.value : answer.kind === "fault" ? answer.error : answer.kind,
      effects: this.#effects,
      bus: Object.fromEntries(keys.map(({ name }) => [name, frame.bus[name]])),
      letters: [...this.#letters].sort(),
      isRaced: this.#isRaced,
    };
  }

  #line(at: Place, steps: readonly StepPlan[], label: number, input: number, frame: Frame): Answer {
    let value = input;
    for (let i = 0; i < steps.length; ) {
      const step = steps[i] as StepPlan;
      const isInLine = step.kind === "subgraph" && !hasPolicy(step);
      if (this.#isAborting && !isInLine) return ABORTED;
      const name = `${at.name}.${i}`;
      const node = `${at.node}/${name}`;
      const place = { name, node, isLimited: at.isLimited || step.policy.kind === "limit" };
      if (frame.isMain) this.#isWaiting = false;
      let answer = this.#withPolicy(step, place, value, frame);
      i += 1;
      if (answer.kind === "jump") {
        this.#jumps += 1;
        if (this.#jumps > MAX_JUMPS) answer = faulted(`jump limit ${name}`);
        i = label;
      }
      if (answer.kind === "fault" && frame.isMain) this.#failed ??= [node, value];
      if (answer.kind === "branch") {
        const inside = { name, node: `${node}:side`, isLimited: at.isLimited };
        answer = this.#line(inside, step.body, 0, answer.value, frame);
      }
      if (answer.kind !== "next" && answer.kind !== "jump") return answer;
      value = answer.value;
    }
    return this.#isRaced && frame.isMain ? ABORTED : { kind: "next", value };
  }

  #withPolicy(step: StepPlan, at: Place, input: number, frame: Frame): Answer {
    const { policy } = step;
    const tries = policy.kind === "retry" ? policy.retries + 1 : 1;
    for (let n = 1; ; n += 1) {
      let answer = this.#compensated(step, at, input, frame);
      if (answer.kind === "stalled" && policy.kind === "limit") answer = faulted(`timeout ${at.name}`);
      if (policy.kind !== "retry" || answer.kind !== "fault" || answer.isFinal) return answer;
      if (n === tries) return { ...answer, isFinal: true };
      if (policy.delayMs > 0) this.#isWaiting = true;
    }
  }

  #compensated(step: StepPlan, at: Place, input: number, frame: Frame): Answer {
    const answer = this.#body(step, at, input, frame);
    if (step.undo === undefined || !("value" in answer)) return answer;
    frame.completed.push({ step, ...at, input, output: answer.value });
    return answer;
  }

  #body(step: StepPlan, at: Place, input: number, frame: Frame): Answer {
    switch (step.kind) {
      case "function":
        return this.#function(step, at, input, frame);
      case "subgraph": {
        if (!hasPolicy(step)) return this.#line(at, step.body, 0, input, frame);
        const part: Frame = { isMain: false, bus: frame.bus, completed: [] };
        return this.#ended(part, this.#line(at, step.body, 0, input, part), frame);
      }
      case "parallel":
        return this.#parallel(step, at, input, frame);
    }
  }

  #parallel({ body, strategy }: ParallelPlan, at: Place, input: number, frame: Frame): Answer {
    const answers: Answer[] = [];
    for (const [i, step] of body.entries()) {
      if (this.#isAborting) return ABORTED;
      const name = `${at.name}.${i}`;
      const part: Frame = { isMain: false, bus: { ...frame.bus }, completed: [] };
      const place = { name, node: `${at.node}/${name}`, isLimited: at.isLimited };
      const answer = this.#ended(part, this.#withPolicy(step, place, input, part), frame);
      if (answer.kind === "fault" && strategy === "AllMustSucceed") return answer;
      answers.push(answer);
    }
    if (this.#isAborting) return ABORTED;
    if (answers.some(({ kind }) => kind === "stalled")) return { kind: "stalled" };
    const value = answers.reduce((sum, answer) => sum + ("value" in answer ? answer.value : 7), input) % 1000;
    this.#effects.push(`merge ${at.name} ${value}`);
    return { kind: "next", value };
  }

  #function(step: FunctionPlan, at: Place, input: number, { bus }: Frame): Answer {
    const { name } = at;
    const { op, delay, add } = step;
    const key = step.writes === undefined ? undefined : keys[step.writes]?.name;
    this.#effects.push(key === undefined ? `do ${name} ${input}` : `do ${name} ${input} was ${bus[key]}`);
    if (key !== undefined) bus[key] = input;
    if (delay !== "sync") this.#isWaiting = true;
    const next: Answer = { kind: "next", value: input + add };
    if (input % 3 !== step.rest) return next;
    switch (op) {
      case "fault":
        return faulted(`fault ${name} ${input}`);
      case "throw":
        return faulted(`panic ${name} thrown ${input}`);
      case "shaky": {
        const calls = (this.#calls.get(name) ?? 0) + 1;
        this.#calls.set(name, calls);
        return calls <= failuresOf(step) ? faulted(`shaky ${name} ${calls}`) : next;
      }
      case "abort":
        if (delay === "sync") {
          this.#isAborting = true;
          this.#isRaced = this.#isWaiting;
          return next;
        }
        // Completes when its run is over.
        if (step.undo !== undefined) this.#undoOne({ step, ...at, input, output: input + add });
        return ABORTED;
      case "hang":
        return delay === "sync" ? next : ABORTED;
      case "stall":
        return at.isLimited ? { kind: "stalled" } : next;
      case "emit":
        this.#effects.push(`told ${name} ${input}`);
        return next;
      case "jump":
      case "branch":
        return { kind: op, value: input + add };
      default:
        return next;
    }
  }

  /** A part hands on what it has completed, or undoes it. */
  #ended(part: Frame, answer: Answer, frame: Frame): Answer {
    if ("value" in answer) frame.completed.push(...part.completed);
    else this.#undoAll(part);
    return answer;
  }

  #undoAll({ completed }: Frame): void {
    for (const done of completed.splice(0).reverse()) this.#undoOne(done);
  }

  #undoOne({ step, name, node, input, output }: Done): void {
    this.#effects.push(`undo ${name} ${input} ${output}`);
    if (step.undo === "takes time") this.#isWaiting = true;
    if (step.undo === "faults") this.#send("compensation", node, { input, output }, "not undone");
    if (step.undo === "throws")
      this.#send("compensation", node, { input, output }, `panic undo ${name} not undone`);
  }

  #send(kind: string, node: string, input: unknown, error: string): void {
    if (this.#plan.keepsLetters) this.#letters.push(`${kind} ${node} ${JSON.stringify(input)} ${error} 1`);
  }
}
