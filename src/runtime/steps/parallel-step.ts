// Steps that run in parallel over the same input, started in order, each with a copy of the Bus.
// The step settles when all have ended. An abort ends them at once.

import { isFault } from "#core/bus/outcome.js";
import type { Merge, ParallelStrategy } from "../definition/parallel-types.js";
import { finished, runPart } from "../execute/part.js";
import { panicOf, settled } from "../run/answers.js";
import { Fork, inFork } from "../run/fork.js";
import type { Instruction } from "../run/instruction.js";
import type { Part } from "../run/instruction-shape.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunState } from "../run/run-state.js";

export function parallelStep(
  program: ProgramPort,
  name: string,
  parts: readonly Part[],
  strategy: ParallelStrategy,
  merge: Merge,
): Instruction["step"] {
  const all = (input: unknown, state: RunState): unknown => {
    const together = new Together(state, strategy);
    for (const part of parts) together.begin((fork) => runPart(program, part, input, fork));
    const outcome = (): unknown => {
      if (together.fault !== undefined) return together.fault;
      return state.control?.stopped === true ? state.control.abortion() : merge(together.results, input);
    };
    return together.waiting === 0 ? outcome() : together.whenEnded().then(outcome);
  };
  // In its own fork: if merging fails, the completed steps are undone.
  const undoable = (input: unknown, run: RunState): unknown =>
    inFork(run, "shared", (fork) => {
      const panicked = (cause: unknown): unknown => panicOf(name, cause);
      return finished(
        program,
        fork,
        settled(
          () => all(input, fork),
          (answer) => answer,
          panicked,
        ),
      );
    });
  return {
    run: (input, { state }) => (program.ending === undefined ? all(input, state) : undoable(input, state)),
  };
}

class Together {
  readonly results: unknown[] = [];
  fault: unknown;
  waiting = 0;
  readonly #run: RunState;
  readonly #strategy: ParallelStrategy;
  readonly #forks: (Fork | undefined)[] = [];
  #tell: () => void = () => {};

  constructor(run: RunState, strategy: ParallelStrategy) {
    this.#run = run;
    this.#strategy = strategy;
  }

  begin(body: (fork: Fork) => unknown): void {
    if (this.fault !== undefined) return;
    const at = this.results.push(undefined) - 1;
    const fork = new Fork(this.#run, "copied");
    this.#forks.push(fork);
    const outcome = body(fork);
    if (!(outcome instanceof Promise)) {
      this.#ended(at, fork, outcome);
      return;
    }
    this.waiting += 1;
    void outcome.then((later) => {
      this.waiting -= 1;
      this.#ended(at, fork, later);
      if (this.waiting === 0) this.#tell();
    });
  }

  whenEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  #ended(at: number, fork: Fork, outcome: unknown): void {
    this.#forks[at] = undefined;
    fork.close();
    this.results[at] = outcome;
    if (this.#strategy === "AnyCanFail" || this.fault !== undefined || !isFault(outcome)) return;
    this.fault = outcome;
    // Steps of a halted run settle by themselves: what they did is undone.
    if (this.#run.control?.halted === true) return;
    for (const other of this.#forks) other?.control.abort(new Error("A step beside it failed"));
  }
}
