import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";

/** Maps the input, synchronously or not. */
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

/** Passes its input on: a place for a name, or for a later attachment. */
export class IdentityNode {
  readonly name = "IdentityNode";

  run(input: unknown): Pass {
    return pass(input);
  }
}

/** Ends every run with the same fault: for a branch that must not be taken. */
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
