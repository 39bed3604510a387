// Arithmetic without silent errors. NaN, Infinity and a result beyond 2^53 of safe integers, which
// would be rounded, are NUMBER_OVERFLOW faults. Fractions are rounded. bigints are exact, and their
// division truncates towards zero.

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, BusKey, TypeOfKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import type { Fault } from "#core/bus/outcome.js";
import { nodeCodes } from "#core/error-codes.js";
import { invalidOption } from "#core/invalid-option.js";
import { type NodeFault, nodeFault } from "../faults.js";

export type MathOperation = "add" | "sub" | "mul" | "div";

type Operand = number | bigint | BusKey<number, string> | BusKey<bigint, string>;

type Widened<T> = T extends bigint ? bigint : T extends number ? number : never;

/** Type of the calculation: that of the operand, number or bigint. */
type Amount<O> = O extends AnyKey ? Widened<TypeOfKey<O>> : Widened<O>;

type KeyIn<O> = Extract<O, AnyKey>;

export type MathFault = NodeFault<"DIVISION_BY_ZERO"> | NodeFault<"NUMBER_OVERFLOW">;

const OPERATIONS: Readonly<Record<MathOperation, (a: never, b: never) => number | bigint>> = {
  add: (a: number, b: number) => a + b,
  sub: (a: number, b: number) => a - b,
  mul: (a: number, b: number) => a * b,
  div: (a: number, b: number) => a / b,
};

/**
 * One operation with a constant, `new MathNode("mul", 100)`, or with a value of the Bus,
 * `new MathNode("div", Guests)`; on numbers or bigints.
 */
export class MathNode<const O extends Operand> {
  readonly name = "MathNode";
  readonly responses: readonly DeclaredResponse[];
  readonly description: string;
  readonly reads: readonly KeyIn<O>[];
  readonly #operation: MathOperation;
  readonly #operand: O;

  constructor(operation: MathOperation, operand: O) {
    const shown =
      typeof operand === "object" ? operand.name : `${operand}${typeof operand === "bigint" ? "n" : ""}`;
    const call = `MathNode(${JSON.stringify(operation)}, ${shown})`;
    if (!Object.hasOwn(OPERATIONS, operation)) throw invalidOption(call, "use one of add, sub, mul, div");
    if (typeof operand === "number" && !Number.isFinite(operand))
      throw invalidOption(call, "the operand must be a finite number");
    if (operation === "div" && typeof operand !== "object" && isZero(operand))
      throw invalidOption(
        call,
        "nothing can be divided by zero; read the divisor from the Bus if it may vary",
      );
    this.description = `${operation} ${shown}`;
    this.reads = (typeof operand === "object" ? [operand] : []) as unknown as readonly KeyIn<O>[];
    const divided = operation === "div" ? (["DIVISION_BY_ZERO"] as const) : [];
    this.responses = declaredOf(nodeCodes, ...divided, "NUMBER_OVERFLOW");
    this.#operation = operation;
    this.#operand = operand;
  }

  run(input: Amount<O>, bus: BusView<KeyIn<O>>): Amount<O> | Fault<MathFault> {
    const operand = (
      typeof this.#operand === "object" ? bus.get(this.#operand as KeyIn<O>) : this.#operand
    ) as number | bigint;
    if (this.#operation === "div" && isZero(operand)) return nodeFault("DIVISION_BY_ZERO");
    const result = OPERATIONS[this.#operation](input as never, operand as never);
    return isExact(result, input, operand) ? (result as Amount<O>) : nodeFault("NUMBER_OVERFLOW");
  }
}

const isZero = (n: number | bigint): boolean => n === 0 || n === 0n;

function isExact(result: unknown, a: unknown, b: unknown): boolean {
  if (typeof result === "bigint" || Number.isSafeInteger(result)) return true;
  if (!Number.isFinite(result)) return false;
  return !(Number.isInteger(result) && Number.isSafeInteger(a) && Number.isSafeInteger(b));
}
