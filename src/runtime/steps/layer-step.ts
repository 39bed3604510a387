// A layer as an instruction: the steps inside it are a part that the layer runs itself. The
// layer's answer ends the part: running steps are aborted, and no further step begins.

import { fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { checkedStep } from "../check/checked-step.js";
import { runPart } from "../execute/part.js";
import { pendingOf } from "../run/answers.js";
import { type Fork, inFork } from "../run/fork.js";
import { type Instruction, isLast } from "../run/instruction.js";
import type { Part } from "../run/instruction-shape.js";
import type { ProgramPort } from "../run/program-port.js";
import type { RunBus } from "../run/run-state.js";

interface LayerPart {
  readonly program: ProgramPort;
  readonly part: Part;
  readonly layer: AnyLayer;
  /** True if the layer's declarations are enforced. */
  readonly checks: boolean;
}

export function layerStep(of: LayerPart): Instruction["step"] {
  const inner = asTransition(of.layer);
  const step: Instruction["step"] = of.checks ? checkedStep(inner) : inner;
  return {
    run(_, bus) {
      const inside = new Inside(of, bus);
      return inside.endedWith(() => step.run(inside.next, bus));
    },
  };
}

/** Steps inside see the values it writes, whatever it returns: its own Next does not promise them. */
function asTransition(layer: AnyLayer): AnyTransition {
  const { reads = [], writes = [], mayRead = [], mayWrite = [], deletes = [], name } = layer;
  const run: AnyTransition["run"] = (next, bus) => layer.run(bus, next);
  return { name, reads, mayRead, mayWrite: [...writes, ...mayWrite], deletes, run };
}

const NO_CODE: readonly Instruction[] = [];

class Inside {
  readonly #of: LayerPart;
  readonly #bus: RunBus;
  #isCalled = false;
  #isOver = false;
  #fork: Fork | undefined;
  /** The outcome of the part, or a promise of it. */
  #inner: unknown;
  /** Stored here: the Bus of a run that is over has no request. */
  #request: unknown;
  /** Position of its part: a traced run has its own instructions. */
  #code = NO_CODE;

  constructor(of: LayerPart, bus: RunBus) {
    this.#of = of;
    this.#bus = bus;
  }

  readonly next = (): unknown => {
    const { layer, checks } = this.#of;
    const { name, writes } = layer;
    if (this.#isCalled) {
      throw new FrameworkError(
        "LAYER_NEXT_TWICE",
        `Layer '${name}' called next() twice: the request is there once; keep what the first call answered`,
      );
    }
    this.#isCalled = true;
    // Not thrown: a timer that calls it late would end the process.
    if (this.#isOver) return fault(runtimeFault({ code: "RUN_ABORTED", reason: this.#late() }));
    const unwritten = checks ? writes?.find((key) => !this.#bus.has(key)) : undefined;
    if (unwritten === undefined) return this.#goOn();
    throw new FrameworkError(
      "BUS_VALUE_UNWRITTEN",
      `Layer '${name}' called next() without writing '${unwritten.name}', which it declares in 'writes': set it before, or declare it in 'mayWrite'`,
    );
  };

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
    // In parallel: the outcome is not delayed by it.
    if (pending === this.#inner || this.#of.program.unsent === undefined) pending.then(this.#end, this.#end);
    else pending.then(this.#endAnother, () => this.#endAnother(undefined));
    return pending;
  }

  readonly #endAnother = (answer: unknown): void => {
    this.#end();
    this.#tellUnsent(answer);
  };

  /**
   * If the layer replaces the outcome of its part, the program's `unsent` callback is called: a
   * stream has to be released. The loop reports outcomes that settle later.
   */
  #tellUnsent(answer: unknown): void {
    const { program, part } = this.#of;
    const { unsent } = program;
    const inner = this.#inner;
    if (unsent === undefined || inner === undefined || inner === answer) return;
    const request = this.#request;
    const told = (settled: unknown): void => {
      if (settled !== answer && isLast(this.#code, part.owner)) unsent(settled, answer ?? null, request);
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
    return new Error(`Layer '${this.#of.layer.name}' answered before what it stands around was over`);
  }

  #goOn(): unknown {
    const { state } = this.#bus;
    const { program, part } = this.#of;
    this.#code = state.duties.trace?.code ?? program.code;
    this.#request = state.request;
    this.#inner = inFork(state, "shared", (fork) => {
      this.#fork = fork;
      return runPart(program, part, undefined, fork);
    });
    return this.#inner;
  }
}
