// A layer as an instruction: what it stands around is a part that it runs by itself.
//
//   LY1. A layer's answer is the end of what it stands around: what still runs there is
//        aborted, and what has not begun never begins. The run's answer has gone out.
//   LY2. Where it answers something else than what it stands around, and that would have been
//        the run's outcome, whoever runs the program is told: a stream has to be let go of.

import { FrameworkError } from "#core/errors.js";
import type { AnyLayer } from "#core/layer.js";
import { fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import type { AnyTransition } from "#core/transition.js";
import { pendingOf } from "./answers.js";
import { checkedStep } from "./checked-step.js";
import { type Fork, inFork } from "./fork.js";
import { type Instruction, isLast } from "./instruction.js";
import { type Part, runPart } from "./part.js";
import type { Program } from "./program.js";
import type { RunBus } from "./run-bus.js";

/** With `checks`, what the layer declares is enforced. */
export function layerStep(
  program: Program,
  part: Part,
  layer: AnyLayer,
  checks: boolean,
): Instruction["step"] {
  const inner = asTransition(layer);
  const step: Instruction["step"] = checks ? checkedStep(inner) : inner;
  return {
    run(_, bus) {
      const inside = new Inside(program, part, layer, checks, bus);
      return inside.endedWith(() => step.run(inside.next, bus));
    },
  };
}

/** What it writes is there for the steps inside, whatever it answers: that is no promise for its own Next. */
function asTransition(layer: AnyLayer): AnyTransition {
  const { reads, writes = [], mayRead, mayWrite = [], deletes, name } = layer;
  return {
    name,
    reads: reads ?? [],
    mayRead: mayRead ?? [],
    mayWrite: [...writes, ...mayWrite],
    deletes: deletes ?? [],
    run: (next: () => unknown, bus) => layer.run(bus, next),
  };
}

const NO_CODE: readonly Instruction[] = [];

/** What one call of a layer stands around. */
class Inside {
  readonly #program: Program;
  readonly #part: Part;
  readonly #layer: AnyLayer;
  readonly #checks: boolean;
  readonly #bus: RunBus;
  #isCalled = false;
  #isOver = false;
  #fork: Fork | undefined;
  /** What it stands around has answered, or a promise of that. */
  #inner: unknown;
  /** Kept: the Bus of a run that is over knows of none. */
  #request: unknown;
  /** Where its part stands: a traced run has instructions of its own. */
  #code = NO_CODE;

  constructor(program: Program, part: Part, layer: AnyLayer, checks: boolean, bus: RunBus) {
    this.#program = program;
    this.#part = part;
    this.#layer = layer;
    this.#checks = checks;
    this.#bus = bus;
  }

  readonly next = (): unknown => {
    const { name, writes } = this.#layer;
    if (this.#isCalled) {
      throw new FrameworkError(
        "LAYER_NEXT_TWICE",
        `Layer '${name}' called next() twice: the request is there once; keep what the first call answered`,
      );
    }
    this.#isCalled = true;
    // Not thrown: a timer that calls it late would end the process.
    if (this.#isOver) return fault(runtimeFault({ code: "RUN_ABORTED", reason: this.#late() }));
    const unwritten = this.#checks ? writes?.find((key) => !this.#bus.has(key)) : undefined;
    if (unwritten === undefined) return this.#goOn();
    throw new FrameworkError(
      "BUS_VALUE_UNWRITTEN",
      `Layer '${name}' called next() without writing '${unwritten.name}', which it declares in 'writes': set it before, or declare it in 'mayWrite'`,
    );
  };

  /** What the layer answers, and with that the end of what it stands around (LY1). */
  endedWith(run: () => unknown): unknown {
    let pending: Promise<unknown> | undefined;
    try {
      const answer = run();
      pending = pendingOf(answer);
      if (pending === undefined) {
        this.#tellUnsent(answer);
        return answer;
      }
    } catch (cause) {
      this.#tellUnsent(undefined);
      throw cause;
    } finally {
      if (pending === undefined) this.#end();
    }
    // Beside it: who waits for the answer is told no later for that.
    if (pending === this.#inner || this.#program.unsent === undefined) pending.then(this.#end, this.#end);
    else pending.then(this.#endAnother, () => this.#endAnother(undefined));
    return pending;
  }

  readonly #endAnother = (answer: unknown): void => {
    this.#end();
    this.#tellUnsent(answer);
  };

  /** LY2. What is aborted meanwhile has a fault to answer; what it comes to later is told of by the loop. */
  #tellUnsent(answer: unknown): void {
    const { unsent } = this.#program;
    const inner = this.#inner;
    if (unsent === undefined || inner === undefined || inner === answer) return;
    const request = this.#request;
    const told = (settled: unknown): void => {
      if (settled !== answer && isLast(this.#code, this.#part.owner))
        unsent(settled, answer ?? null, request);
    };
    if (inner instanceof Promise) inner.then(told, () => {});
    else told(inner);
  }

  readonly #end = (): void => {
    this.#isOver = true;
    const { control } = this.#fork ?? {};
    if (control?.ended === false) control.abort(this.#late());
  };

  #late(): Error {
    return new Error(`Layer '${this.#layer.name}' answered before what it stands around was over`);
  }

  #goOn(): unknown {
    const { state } = this.#bus;
    this.#code = state.duties.trace?.code ?? this.#program.code;
    this.#request = state.request;
    this.#inner = inFork(state, "shared", (fork) => {
      this.#fork = fork;
      return runPart(this.#program, this.#part, undefined, fork);
    });
    return this.#inner;
  }
}
