import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  branch,
  Control,
  emit,
  eventKind,
  fault,
  isBranch,
  isEmit,
  isFault,
  isJump,
  isNext,
  jump,
  match,
  next,
  pass,
} from "framework/core";

const Told = eventKind<number>()("told");

describe("outcomes", () => {
  test("are told apart, each by its own guard", () => {
    const outcomes = [fault("no"), branch("vip", 1), jump("again", 1), emit(Told, 1, 2), "plain"];
    const guards = [isFault, isBranch, isJump, isEmit, isNext];

    for (const [i, outcome] of outcomes.entries()) {
      assert.deepEqual(
        guards.map((guard) => guard(outcome)),
        outcomes.map((_, j) => i === j),
      );
    }
  });

  test("of Next and Pass are the values themselves", () => {
    const value = { a: 1 };

    assert.equal(next(value), value);
    assert.equal(pass(value), value);
  });

  // O1: a Control is no thenable.
  test("are settled with by a promise, not waited for", async () => {
    const refused = fault("no");

    assert.equal(await Promise.resolve(refused), refused);
  });

  test("look like data where they are printed", () => {
    assert.equal(JSON.stringify(fault("no")), '{"kind":"fault","error":"no"}');
    assert.deepEqual(Object.keys(jump("again", 1)).sort(), ["kind", "label", "payload"]);
  });

  // O2: copies share the class.
  test("are Controls for another copy of the package too", async () => {
    const copy = (await import(
      `../../../src/core/bus/outcome.js?copy=${Date.now()}`
    )) as typeof import("#core/bus/outcome.js");

    assert.notEqual(copy.fault, fault);
    assert.ok(copy.fault("no") instanceof Control);
    assert.ok(isFault(copy.fault("no")));
  });
});

describe("match", () => {
  const read = (outcome: number | ReturnType<typeof fault<"no">>) =>
    match(outcome, { next: (n) => `next ${n}`, fault: (error) => `fault ${error}` });

  test("gives the value to next and the error to fault", () => {
    assert.equal(read(1), "next 1");
    assert.equal(read(fault("no")), "fault no");
  });

  test("gives the other Controls as they are", () => {
    const told = (outcome: ReturnType<typeof jump<"again", number>> | 1) =>
      match(outcome, { next: () => "next", jump: ({ label, payload }) => `${label} ${payload}` });

    assert.equal(told(jump("again", 2)), "again 2");
  });

  test("throws for an outcome that an untyped caller gave no case for", () => {
    assert.throws(() => match(fault("no"), { next: () => 0 } as never), /no case for 'fault'/);
  });
});
