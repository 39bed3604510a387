import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, busKey, isFault } from "framework";
import { AxonTestKit } from "framework/runtime";
import { type MathFault, MathNode, type MathOperation } from "framework/std";

const Divisor = busKey<number>()("Divisor");
const BigDivisor = busKey<bigint>()("BigDivisor");

const calculate = (operation: MathOperation, input: number, operand: number) =>
  Axon.start<number>("math").then(new MathNode(operation, operand)).execute(input);
const faultOf = (outcome: unknown) => (isFault(outcome) ? (outcome.error as MathFault).code : outcome);
const safe = fc.maxSafeInteger();
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const EXACT = {
  add: (a: bigint, b: bigint) => a + b,
  sub: (a: bigint, b: bigint) => a - b,
  mul: (a: bigint, b: bigint) => a * b,
} as const;

describe("MathNode", () => {
  test("adds, subtracts, multiplies and divides", () => {
    assert.deepEqual(
      [
        calculate("add", 7, 2),
        calculate("sub", 7, 2),
        calculate("mul", 7, 2),
        calculate("div", 7, 2),
        calculate("mul", 0.1, 3),
      ],
      [9, 5, 14, 3.5, 0.1 * 3],
    );
  });

  test("is exact between safe integers, or faults", () => {
    const operation = fc.constantFrom("add", "sub", "mul");
    fc.assert(
      fc.property(operation, safe, safe, (name, a, b) => {
        const exact = EXACT[name](BigInt(a), BigInt(b));
        const expected = Number.isSafeInteger(Number(exact)) ? exact : "NUMBER_OVERFLOW";
        const outcome = faultOf(calculate(name, a, b));

        assert.equal(typeof outcome === "number" ? BigInt(outcome) : outcome, expected);
      }),
    );
  });

  test("undoes an addition by a subtraction, where both succeed", () => {
    fc.assert(
      fc.property(safe, safe, (a, b) => {
        const sum = calculate("add", a, b);
        if (typeof sum === "number") assert.equal(calculate("sub", sum, b), a);
      }),
    );
  });

  test("answers no number that is not finite", () => {
    fc.assert(
      fc.property(fc.constantFrom("add", "sub", "mul", "div"), fc.double(), finite, (operation, a, b) => {
        fc.pre(b !== 0);
        const outcome = calculate(operation, a, b);

        assert.ok(Number.isFinite(outcome) || faultOf(outcome) === "NUMBER_OVERFLOW");
      }),
    );
    assert.equal(faultOf(calculate("add", Number.NaN, 1)), "NUMBER_OVERFLOW");
    assert.equal(faultOf(calculate("mul", 1e308, 10)), "NUMBER_OVERFLOW");
  });

  test("overflows at the first integer that a number cannot hold", () => {
    assert.equal(calculate("add", Number.MAX_SAFE_INTEGER, 0), Number.MAX_SAFE_INTEGER);
    assert.equal(faultOf(calculate("add", Number.MAX_SAFE_INTEGER, 1)), "NUMBER_OVERFLOW");
    assert.equal(calculate("mul", 2 ** 60, 2), 2 ** 61, "beyond it numbers round, and are floating point");
  });

  test("calculates with bigints of any size", () => {
    const axon = Axon.start<bigint>("big")
      .then(new MathNode("mul", 10n ** 20n))
      .then(new MathNode("div", 3n));

    assert.equal(axon.execute(-2n), -(2n * 10n ** 20n) / 3n);
  });

  test("divides by what is on the Bus, and faults where that is zero", async () => {
    const share = Axon.start<number>("share").then(new MathNode("div", Divisor));
    const bigShare = Axon.start<bigint>("share").then(new MathNode("div", BigDivisor));
    const by = async (n: number) => (await new AxonTestKit().set(Divisor, n).run(share, 10)).outcome;

    assert.equal(await by(4), 2.5);
    const outcome = await by(0);
    assert.equal(faultOf(outcome), "DIVISION_BY_ZERO");
    assert.equal(faultOf(await by(-0)), "DIVISION_BY_ZERO");
    const { outcome: big } = await new AxonTestKit().set(BigDivisor, 0n).run(bigShare, 1n);
    assert.equal(faultOf(big), "DIVISION_BY_ZERO");
    assert.ok(isFault(outcome));
    assert.equal((outcome.error as MathFault).toProblemDetail().status, 422);
  });

  test("may add a zero from the Bus", async () => {
    const sum = Axon.start<number>("sum").then(new MathNode("add", Divisor));

    assert.equal((await new AxonTestKit().set(Divisor, 0).run(sum, 10)).outcome, 10);
  });

  test("refuses an operand that could never work", () => {
    const refused = (make: () => unknown, message: RegExp) =>
      assert.throws(make, { code: "CONFIG_INVALID", message });

    refused(() => new MathNode("div", 0), /^MathNode\("div", 0\): .*by zero/);
    refused(() => new MathNode("div", 0n), /^MathNode\("div", 0n\)/);
    refused(() => new MathNode("add", Number.NaN), /must be a finite number/);
    refused(() => new MathNode("add", Number.POSITIVE_INFINITY), /must be a finite number/);
    refused(() => new MathNode("toString" as "add", 1), /use one of add, sub, mul, div/);
    assert.equal(new MathNode("add", 0).description, "add 0");
  });

  test("declares the key that it reads", () => {
    const node = Axon.start<number>("s").then(new MathNode("div", Divisor)).schematic().nodes[1];

    assert.equal(node?.description, "div Divisor");
    assert.deepEqual(node?.bus_capability?.reads, ["Divisor"]);
  });
});
