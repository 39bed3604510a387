import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import { Axon, isFault } from "framework";
import { RunControl } from "#runtime/run/run-control.js";

const turns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

describe("the signal that steps see", () => {
  const warnings: string[] = [];
  const uncaught: unknown[] = [];
  const onWarning = ({ message, ...warning }: Error & { code?: string }) => {
    if (warning.code === "STEP_PANIC") warnings.push(message);
  };
  const onUncaught = (error: unknown) => uncaught.push(error);
  let others: NodeJS.UncaughtExceptionListener[] = [];
  beforeEach(() => {
    warnings.length = 0;
    uncaught.length = 0;
    // The test runner's own would take what is thrown for a failure of the test.
    others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("warning", onWarning).on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
  });
  afterEach(() => {
    process.off("warning", onWarning).off("uncaughtException", onUncaught);
    process.off("unhandledRejection", onUncaught);
    for (const other of others) process.on("uncaughtException", other);
  });

  /** What a run answers whose step does this with its signal and waits, when its caller aborts. */
  const aborting = async (use: (signal: AbortSignal) => void) => {
    const controller = new AbortController();
    const axon = Axon.start("a").thenFn("wait", (_, bus) => {
      use(bus.signal);
      return new Promise<void>(() => {});
    });
    const running = axon.execute(undefined, undefined, controller.signal);
    controller.abort("gone");
    const outcome = await running;
    await turns();
    return outcome;
  };

  test("has listeners that may throw or reject, where a caller gave a signal too", async () => {
    const failing: ((signal: AbortSignal) => void)[] = [
      (signal) =>
        signal.addEventListener("abort", () => {
          throw new Error("listener");
        }),
      (signal) =>
        signal.addEventListener("abort", {
          handleEvent() {
            throw new Error("object");
          },
        }),
      (signal) =>
        signal.addEventListener("abort", async () => {
          throw new Error("async");
        }),
      (signal) => {
        signal.onabort = () => {
          throw new Error("onabort");
        };
      },
    ];
    for (const use of failing) {
      warnings.length = 0;

      assert.ok(isFault(await aborting(use)));
      assert.deepEqual(warnings, ["A listener of bus.signal threw"]);
    }
    assert.deepEqual(uncaught, []);
  });

  test("is aborted with the caller's reason, before or after a step asked for it", async () => {
    const reasons: unknown[] = [];
    await aborting((signal) => signal.addEventListener("abort", () => reasons.push(signal.reason)));
    const control = new RunControl();
    control.follow(AbortSignal.abort("gone before"));
    const { aborted, reason } = control.signal();

    assert.deepEqual(reasons, ["gone"]);
    assert.deepEqual([aborted, reason], [true, "gone before"]);
  });

  test("takes null for a listener, as the platform does, and refuses what is none", () => {
    const signal = new RunControl().signal();

    signal.addEventListener("abort", null as never);
    signal.removeEventListener("abort", null as never);
    assert.throws(() => signal.addEventListener("abort", 5 as never), { code: "ERR_INVALID_ARG_TYPE" });
  });

  test("lets go of a listener that is taken back", async () => {
    let heard = 0;
    const listener = () => {
      heard += 1;
    };
    const control = new RunControl();
    const signal = control.signal();
    signal.addEventListener("abort", listener);
    signal.removeEventListener("abort", listener);
    control.abort("gone");

    assert.equal(heard, 0);
  });
});

test("a warning fires the signal, also of a step that asks for it later, and the run goes on", () => {
  const [early, late] = [new RunControl(), new RunControl()];
  const signals = [early.signal()];
  for (const control of [early, late]) control.warn("gone");
  signals.push(late.signal());

  assert.deepEqual(
    signals.map(({ aborted, reason }) => [aborted, reason]),
    [
      [true, "gone"],
      [true, "gone"],
    ],
  );
  assert.deepEqual([early.stopped, late.stopped], [false, false]);
});
