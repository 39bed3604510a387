import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, childRun, fault, MemoryRuns, signal } from "framework";

const Approved = signal<string>()("approved", Type.String());
const Rejected = signal<string>()("rejected", Type.String());
const claim = Axon.start<number>("claim");
const pay = Axon.start<number>("pay").withPersistenceStore(new MemoryRuns());

const YEARS_11 = 11 * 365 * 86_400_000;

/** A call of untyped code. */
const untyped = (axon: unknown): Record<string, (...args: unknown[]) => unknown> =>
  axon as Record<string, (...args: unknown[]) => unknown>;

const isInvalid = (message: RegExp) => ({ code: "CONFIG_INVALID", message });

describe("signal", () => {
  test("takes names that a header, a log and a store keep as they are", () => {
    assert.equal(signal<string>()("order.paid-2_x", Type.String()).name, "order.paid-2_x");
    for (const name of ["", "1st", "a b", "a#b", "run:1", `a${"b".repeat(100)}`])
      assert.throws(() => signal<string>()(name, Type.String()), isInvalid(/rename it/), name);
  });

  test("refuses a schema that does not compile where it is declared", () => {
    assert.throws(() => signal<string>()("approved", Type.Unsafe<string>({ type: "odd" })), {
      code: /^SCHEMA_/,
      message: /signal 'approved'/,
    });
    assert.throws(() => untyped({ of: signal<string>() })["of"]?.("approved"), isInvalid(/no schema/));
  });
});

describe("A step that waits", () => {
  test("is named after what it waits for, and may have a name of its own", () => {
    const { definition } = claim
      .sleep("night", 1)
      .startRun(pay)
      .awaitRun(pay, { take: (value) => value })
      .waitForAny([Approved, Rejected], { take: () => 1 })
      .waitFor(Approved, { name: "manager" });

    assert.deepEqual(
      definition.steps.map(({ transition }) => transition.name),
      ["night", "start pay", "await pay", "wait for approved or rejected", "manager"],
    );
  });

  test("refuses times that are none, with the place", () => {
    for (const ms of [-1, Number.NaN, YEARS_11, "1s"])
      assert.throws(() => untyped(claim)["sleep"]?.("night", ms), isInvalid(/'claim': sleep\('night'\)/));
    for (const timeoutMs of [0, YEARS_11, "1s"])
      assert.throws(
        () => untyped(claim)["waitFor"]?.(Approved, { timeoutMs }),
        isInvalid(/'claim': waitFor\(approved\): timeoutMs/),
      );
  });

  test("refuses options without effect", () => {
    assert.throws(
      () => claim.waitFor(Approved, { onTimeout: fault("late") }),
      isInvalid(/onTimeout has no effect without timeoutMs/),
    );
    assert.throws(
      () => untyped(claim)["waitFor"]?.(Approved, { timeoutMs: 1, onTimeout: 7 }),
      isInvalid(/neither the id of a branch nor a fault/),
    );
    assert.throws(
      () => untyped(claim)["waitFor"]?.(Approved, { timeout: 1 }),
      isInvalid(/'timeout' is no option/),
    );
    assert.throws(() => untyped(claim)["waitFor"]?.(Approved, { take: 1 }), isInvalid(/take is no function/));
    assert.throws(() => untyped(claim)["continueAs"]?.(1), isInvalid(/give a function/));
  });

  test("refuses what is no kind of signal, and a kind given twice", () => {
    assert.throws(() => untyped(claim)["waitFor"]?.("approved"), isInvalid(/no kind of signal/));
    assert.throws(() => claim.waitForAny([]), isInvalid(/at least one/));
    assert.throws(() => claim.waitForAny([Approved, Approved]), isInvalid(/'approved' is given twice/));
  });

  test("begins only runs that are stored, under one key for the name of their Axon", () => {
    const brief = Axon.start<number>("brief");

    assert.throws(() => claim.startRun(brief), isInvalid(/the runs of Axon 'brief' are not stored/));
    assert.throws(() => claim.awaitRun(brief), isInvalid(/the runs of Axon 'brief' are not stored/));
    assert.equal(childRun(pay), childRun(Axon.start<string>("pay").withPersistenceStore(new MemoryRuns())));
    assert.equal(childRun(pay).name, "run:pay");
  });

  test("is followed by nothing if the run goes on in a new log", () => {
    const ended = untyped(claim.continueAs((value) => value));
    const refused = { code: "AXON_STEP_INVALID", message: /Axon 'claim' has .* after continueAs/ };

    assert.throws(() => ended["thenFn"]?.("more", () => 1), refused);
    assert.throws(() => ended["sleep"]?.("more", 1), refused);
    assert.throws(() => ended["label"]?.("more"), refused);
    assert.throws(() => ended["parallel"]?.([], "AllMustSucceed", () => 1), refused);
  });
});
