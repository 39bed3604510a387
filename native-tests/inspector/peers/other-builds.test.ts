// What processes of two builds read of each other, while a service is restarted worker by worker.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import { DeadLetterRow, Redriven } from "#inspector/api/dead-letters.js";
import { passedOf } from "#inspector/peers/fault-envelope.js";
import { subject } from "#inspector/peers/subject.js";

const done = {
  ...{ id: "letter", circuit: "shop", node: "shop/pay" },
  result: "done",
  outcome: 7,
  trace_id: null,
  run_id: null,
} as const;

describe("what a process of another build says", () => {
  const { fits } = subject("redrive", passedOf(Redriven.properties.data));

  test("is read without what a later one says more", () => {
    const said = { kind: "done", value: { ...done, since: 7 } };

    assert.ok(fits(said));
    assert.deepEqual(said, { kind: "done", value: done });
  });

  test("is read with null for what an earlier one does not say, where that may be null", () => {
    const { trace_id: _, ...value } = done;
    const said = { kind: "done", value };

    assert.ok(fits(said));
    assert.deepEqual(said, { kind: "done", value: done });
  });

  test("is read as the one of several shapes that it says it is", () => {
    const closed = { additionalProperties: false };
    const shapes = Type.Union([
      Type.Object({ kind: Type.Literal("a"), x: Type.Number() }, closed),
      Type.Object({ kind: Type.Literal("b"), y: Type.Number() }, closed),
    ]);
    const said = { kind: "b", y: 1, more: 2 };

    assert.ok(subject("shapes", shapes).fits(said));
    assert.deepEqual(said, { kind: "b", y: 1 });
  });

  test("is not read where anything else is not as it is to be", () => {
    const { result: _, ...value } = done;

    assert.ok(!fits({ kind: "done", value }));
    assert.ok(!fits({ kind: "done", value: { ...done, result: "later" } }));
    assert.ok(!subject("letter", DeadLetterRow).fits({ trace_id: null }));
  });
});
