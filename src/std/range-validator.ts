import { type Fault, type Pass, pass } from "#core/outcome.js";
import { type Checked, checkedValue, pointerTo } from "./checked-field.js";
import { invalidOption } from "./invalid-option.js";
import { type NodeFault, nodeFault } from "./node-fault.js";

export interface RangeOptions<Field extends string> {
  /** The least that passes. */
  readonly min?: number;
  /** The most that passes. */
  readonly max?: number;
  /** The property that holds the number. Default: the input is the number. */
  readonly field?: Field;
}

/** Lets numbers from `min` to `max` pass, both included. */
export class RangeValidator<const Field extends string = never> {
  readonly name = "RangeValidator";
  readonly description: string;
  readonly #field: Field | undefined;
  readonly #min: number;
  readonly #max: number;

  constructor({ min, max, field }: RangeOptions<Field>) {
    const bounds = [min, max].filter((bound) => bound !== undefined);
    const [least, most] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
    if (bounds.length === 0 || !bounds.every(Number.isFinite) || least > most) {
      throw invalidOption(
        `RangeValidator({ min: ${min}, max: ${max} })`,
        "give finite bounds, at least one, and min not above max",
      );
    }
    this.description = [field, min !== undefined && `from ${min}`, max !== undefined && `to ${max}`]
      .filter(Boolean)
      .join(" ");
    this.#field = field;
    this.#min = least;
    this.#max = most;
  }

  run(input: Checked<NoInfer<Field>, number>): Pass | Fault<NodeFault<"RANGE_EXCEEDED">> {
    const value = checkedValue(input, this.#field);
    if (typeof value !== "number" || Number.isNaN(value)) return this.#refuse("type", "a number");
    if (value < this.#min) return this.#refuse("minimum", `at least ${this.#min}`);
    if (value > this.#max) return this.#refuse("maximum", `at most ${this.#max}`);
    return pass(input);
  }

  #refuse(keyword: string, expected: string): Fault<NodeFault<"RANGE_EXCEEDED">> {
    return nodeFault("RANGE_EXCEEDED", { errors: [{ pointer: pointerTo(this.#field), keyword, expected }] });
  }
}
