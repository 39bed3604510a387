import { type Pass, pass } from "#core/outcome.js";

/** Lets its input pass: a place to name, or to attach something to later. */
export class IdentityNode {
  readonly name = "IdentityNode";

  run(input: unknown): Pass {
    return pass(input);
  }
}
