import { interned } from "../interned.js";

declare const whole: unique symbol;

/** An answer with a head of its own that writes itself: no schema describes it. */
abstract class WholeAnswer {
  declare readonly [whole]: true;
}

// A step of one copy of the package answers through the ingress of another.
const SharedWholeAnswer = interned("WholeAnswer", () => WholeAnswer);
type SharedWholeAnswer = WholeAnswer;

export { SharedWholeAnswer as WholeAnswer };
