import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { hasCode, ProblemDetail, RetryPolicy } from "framework";

/** The delays before the first `n` retries. */
const delays = (policy: RetryPolicy, n: number) =>
  Array.from({ length: n }, (_, i) => policy.delayBefore(i + 1, "error", 0));

describe("RetryPolicy", () => {
  test("fixed waits the same each time, and gives up after its retries", () => {
    assert.deepEqual(delays(RetryPolicy.fixed(3, 50), 4), [50, 50, 50, undefined]);
    assert.deepEqual(delays(RetryPolicy.fixed(0, 50), 1), [undefined]);
  });

  test("exponential multiplies up to its longest delay", () => {
    assert.deepEqual(delays(RetryPolicy.exponential(5, 100, 3, 1000), 5), [100, 300, 900, 1000, 1000]);
    assert.deepEqual(
      delays(RetryPolicy.exponentialDefault(10, 1000), 7),
      [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
    );
    assert.deepEqual(RetryPolicy.exponential(5000, 1, 10, 60_000).delayBefore(4000, "", 0), 60_000);
  });

  test("with jitter waits a random part of each delay", () => {
    const numbers = [0, 0.5, 0.999];
    const policy = RetryPolicy.fixed(3, 1000).withJitter(() => numbers.shift() as number);

    assert.deepEqual(delays(policy, 3), [0, 500, 999]);
    for (let i = 0; i < 100; i += 1) {
      const delay = RetryPolicy.fixed(1, 10).withJitter().delayBefore(1, "", 0) as number;
      assert.ok(delay >= 0 && delay < 10);
    }
  });

  test("asks its predicate, and keeps to its deadline", () => {
    const policy = RetryPolicy.fixed(9, 10)
      .retryIf((error) => error === "again")
      .deadline(100);

    assert.equal(policy.delayBefore(1, "again", 0), 10);
    assert.equal(policy.delayBefore(1, "enough", 0), undefined);
    assert.equal(policy.delayBefore(1, "again", 90), 10);
    assert.equal(policy.delayBefore(1, "again", 91), undefined);
  });

  test("retries faults with one of the codes, of a problem or of the runtime", () => {
    const policy = RetryPolicy.fixed(9, 10).retryIf(hasCode("BUSY", "STEP_TIMEOUT"));
    const wanted = [
      new ProblemDetail({ status: 503, code: "BUSY", title: "Busy" }),
      { code: "STEP_TIMEOUT" },
      { code: "GONE" },
      "BUSY",
      undefined,
    ].map((error) => policy.delayBefore(1, error, 0));

    assert.deepEqual(wanted, [10, 10, undefined, undefined, undefined]);
  });

  test("is unchanged by what is made of it", () => {
    const policy = RetryPolicy.fixed(2, 10);
    policy
      .withJitter(() => 0)
      .deadline(0)
      .retryIf(() => false);

    assert.deepEqual(delays(policy, 3), [10, 10, undefined]);
  });

  test("never waits longer than it says, whatever it is made of", () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.nat(60),
        (maxRetries, initialMs, multiplier, n) => {
          const maxMs = initialMs * 4;
          const delay = RetryPolicy.exponential(maxRetries, initialMs, multiplier, maxMs).delayBefore(
            n + 1,
            "",
            0,
          );
          assert.equal(delay === undefined, n + 1 > maxRetries);
          assert.ok(delay === undefined || (delay >= Math.min(initialMs, maxMs) && delay <= maxMs));
        },
      ),
    );
  });

  test("refuses numbers that mean nothing, naming the call", () => {
    const wrong: (() => unknown)[] = [
      () => RetryPolicy.fixed(-1, 0),
      () => RetryPolicy.fixed(1.5, 0),
      () => RetryPolicy.fixed(1, -1),
      () => RetryPolicy.fixed(1, Number.NaN),
      () => RetryPolicy.fixed(1, 2 ** 31),
      () => RetryPolicy.exponential(1, 10, 0.5, 100),
      () => RetryPolicy.exponential(1, 10, Number.POSITIVE_INFINITY, 100),
      () => RetryPolicy.exponential(1, 10, 2, 5),
      () => RetryPolicy.fixed(1, 0).deadline(-1),
    ];
    for (const make of wrong)
      assert.throws(
        make,
        { code: "CONFIG_INVALID", message: /fixed\(|exponential\(|deadline\(/ },
        String(make),
      );
  });
});
