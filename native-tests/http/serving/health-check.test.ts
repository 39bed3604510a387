import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fault, type Report } from "framework";
import type { HealthCheckPlan } from "#http/plan/health-check.js";
import { HealthCheck } from "#http/serving/health.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { turn } from "../../support/outcome-code.js";

/** A check on a clock that the test moves by hand. */
function checking(run: (...args: any[]) => unknown, context: { production?: boolean } = {}) {
  const clock = new ManualClock();
  const reports: Report[] = [];
  const plan: HealthCheckPlan = { name: "db", run, critical: true, timeoutMs: 2000, cacheMs: 1000 };
  const check = new HealthCheck(plan, {
    resources: { Db: "the database" },
    production: context.production ?? false,
    reporter: (report) => reports.push(report),
    clock,
  });
  return { clock, check, reports };
}

const fail = (message: string) => () => {
  throw new Error(message);
};

describe("a health check", () => {
  test("gets the resources and a signal, and is ok where it answers", async () => {
    const { check } = checking((resources, signal: AbortSignal) => {
      assert.deepEqual([resources, signal.aborted], [{ Db: "the database" }, false]);
    });

    assert.deepEqual(await check.result(), { name: "db", status: "ok", duration_ms: 0 });
  });

  test("is an error where it throws, rejects, or answers false or a fault", async () => {
    const failing = [
      [fail("thrown"), "thrown"],
      [async () => fail("rejected")(), "rejected"],
      [() => false, "It answered false"],
      [async () => fault("refused"), "'refused'"],
      [() => Promise.reject(Object.create(null)), "[Object: null prototype] {}"],
      [
        () => {
          throw {
            get [Symbol.toStringTag]() {
              throw new Error("never shown");
            },
          };
        },
        "What was thrown cannot be shown",
      ],
      [fail("x".repeat(1000)), `${"x".repeat(200)}...`],
    ] as const;
    for (const [run, error] of failing) {
      assert.deepEqual(await checking(run).check.result(), {
        name: "db",
        status: "error",
        duration_ms: 0,
        error,
      });
    }
  });

  test("says why outside production alone", async () => {
    const { check } = checking(fail("password hunter2 refused"), { production: true });

    assert.deepEqual(await check.result(), { name: "db", status: "error", duration_ms: 0 });
  });

  test("runs once for all who ask meanwhile, and its result stands for a while", async () => {
    let runs = 0;
    let answer = () => {};
    const { check, clock } = checking(() => {
      runs += 1;
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    });
    const asked = Promise.all([check.result(), check.result()]);
    await clock.advance(30);
    answer();
    await asked;
    await clock.advance(999);
    const cached = await check.result();
    assert.deepEqual([runs, cached.duration_ms], [1, 30]);

    await clock.advance(1);
    const again = check.result();
    answer();
    await again;
    assert.equal(runs, 2);
  });

  test("is an error where it does not answer in time, and is told by its signal", async () => {
    let signal: AbortSignal | undefined;
    const { check, clock } = checking((_, given: AbortSignal) => {
      signal = given;
      return new Promise(() => {});
    });
    const asked = check.result();
    await clock.advance(2000);

    assert.deepEqual(await asked, {
      name: "db",
      status: "error",
      duration_ms: 2000,
      error: "No answer within 2000 ms",
    });
    assert.ok(signal?.aborted);
  });

  test("is not begun again while it hangs, but for ten time-outs", async () => {
    let runs = 0;
    const { check, clock } = checking(() => {
      runs += 1;
      return new Promise(() => {});
    });
    const first = check.result();
    await clock.advance(2000);
    await first;
    await clock.advance(19_999);
    assert.equal((await check.result()).status, "error");
    assert.equal(runs, 1);

    await clock.advance(1);
    void check.result();
    await turn();
    assert.equal(runs, 2);
  });

  test("that answers late stays an error until it has run again", async () => {
    let answer: (value?: unknown) => void = () => {};
    const { check, clock } = checking(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const first = check.result();
    await clock.advance(2000);
    await first;
    answer();
    await turn();
    assert.equal((await check.result()).status, "error", "its result stands");

    await clock.advance(1000);
    const second = check.result();
    await turn();
    answer();
    assert.equal((await second).status, "ok");
  });

  test("that fails is reported once, until it has been well", async () => {
    let isWell = false;
    const { check, clock, reports } = checking(() => isWell, { production: true });
    for (const well of [false, false, true, false]) {
      isWell = well;
      await check.result();
      await clock.advance(1000);
    }

    assert.deepEqual(
      reports.map(({ code, message, error }) => [code, message, (error as Error).message]),
      Array(2).fill(["HEALTH_CHECK_FAILED", "The health check 'db' fails", "It answered false"]),
    );
  });
});
