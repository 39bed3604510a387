import { type Fault, fault } from "#core/outcome.js";

/** Ends every run that comes here with the same fault: the end of a branch that must not be. */
export class ErrorNode<const E> {
  readonly name = "ErrorNode";
  readonly #fault: Fault<E>;

  constructor(error: E) {
    this.#fault = fault(error) as Fault<E>;
  }

  run(_input: unknown): Fault<E> {
    return this.#fault;
  }
}
