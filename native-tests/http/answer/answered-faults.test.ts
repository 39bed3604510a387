import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fault, ProblemDetail } from "framework/core";
import { forgetAnswer, noteAnswer, whenAnswered } from "#http/answer/answered-faults.js";

const answerOf = (title: string) => ({
  problem: new ProblemDetail({ status: 409, code: "TAKEN", title }),
  report: undefined,
});

describe("what a fault was answered", () => {
  test("is told once, to the run of that very request, and to no other that ended with the same", () => {
    const shared = fault("taken");
    const told: string[] = [];
    for (const run of ["gone", "one", "two"])
      whenAnswered(shared, run, (answer) =>
        told.push(`${run} ${"problem" in answer && answer.problem.title}`),
      );
    whenAnswered(fault("taken"), "one", () => told.push("another"));
    noteAnswer(shared, "one", answerOf("Taken"));
    noteAnswer(shared, "one", answerOf("Taken again"));
    forgetAnswer(shared, "gone");
    noteAnswer(shared, "gone", answerOf("Taken late"));
    noteAnswer(shared, "two", answerOf("Taken by another"));

    assert.deepEqual(told, ["one Taken", "two Taken by another"]);
  });

  test("is kept for the last of many runs that share a fault nobody answers", () => {
    const shared = fault("taken");
    const told: number[] = [];
    for (let i = 0; i < 1000; i += 1) whenAnswered(shared, String(i), () => told.push(i));
    for (let i = 0; i < 1000; i += 1) noteAnswer(shared, String(i), answerOf("Taken"));

    assert.deepEqual([told.length, told[0], told.at(-1)], [16, 984, 999]);
  });

  test("is answered all the same where who records it fails", () => {
    const shared = fault("taken");
    const told: string[] = [];
    whenAnswered(shared, "one", () => {
      throw new Error("no text");
    });
    whenAnswered(shared, "one", () => told.push("second"));
    noteAnswer(shared, "one", answerOf("Taken"));

    assert.deepEqual(told, ["second"]);
  });
});
