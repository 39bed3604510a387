import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { attempt, type Fault, fault, ProblemDetail } from "framework";

const taken = new ProblemDetail({ status: 409, code: "TAKEN", title: "The berth is taken" });
const refuse = (thrown: unknown) => (): never => {
  throw thrown;
};

describe("attempt", () => {
  test("answers what the function answers, at once or later", async () => {
    const now: number | Fault<ProblemDetail> = attempt(() => 1);
    const later: Promise<number | Fault<ProblemDetail>> = attempt(async () => 2);

    assert.deepEqual([now, await later], [1, 2]);
  });

  test("makes a fault of a ProblemDetail that is thrown, or rejected with", async () => {
    assert.deepEqual(attempt(refuse(taken)), fault(taken));
    assert.deepEqual(await attempt(async () => refuse(taken)()), fault(taken));
  });

  test("throws on whatever else is thrown", async () => {
    const broken = new Error("no table");

    assert.throws(() => attempt(refuse(broken)), broken);
    await assert.rejects(
      attempt(async () => refuse(broken)()),
      broken,
    );
  });
});
