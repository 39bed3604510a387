import { interned } from "../interned.js";

declare const whole: unique symbol;

/** A response that writes its own head and body: no schema describes it. */
abstract class WholeAnswer {
  declare readonly [whole]: true;
}

// The ingress of one copy of the package sends responses of another copy.
const SharedWholeAnswer = interned("WholeAnswer", () => WholeAnswer);
type SharedWholeAnswer = WholeAnswer;

export { SharedWholeAnswer as WholeAnswer };
