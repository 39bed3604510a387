import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";

/** Goes on with what `map` makes of the input, now or later. */
export class MapNode<In, Out> {
  readonly name = "MapNode";
  readonly #map: (input: In) => Out;

  constructor(map: (input: In) => Out) {
    this.#map = map;
  }

  run(input: In): Out {
    return this.#map(input);
  }
}

/** Lets its input pass: a place to name, or to attach something to later. */
export class IdentityNode {
  readonly name = "IdentityNode";

  run(input: unknown): Pass {
    return pass(input);
  }
}

/** Ends every run that comes here with the same fault: the end of a branch that must not be. */
export class ErrorNode<const E> {
  readonly name = "ErrorNode";
  readonly responses: readonly DeclaredResponse[];
  readonly #fault: Fault<E>;

  constructor(error: E) {
    this.#fault = fault(error) as Fault<E>;
    this.responses = error instanceof ProblemDetail ? [error] : [];
  }

  run(_input: unknown): Fault<E> {
    return this.#fault;
  }
}
