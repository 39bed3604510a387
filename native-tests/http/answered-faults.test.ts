import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fault, ProblemDetail } from "framework/core";
import { noteAnswer, whenAnswered } from "#http/answered-faults.js";

const answerOf = (title: string) => ({
  problem: new ProblemDetail({ status: 409, code: "TAKEN", title }),
  report: undefined,
});

describe("what a fault was answered", () => {
  test("is told once, to all whose runs have ended with that very fault, and to no other", () => {
    const shared = fault("taken");
    const told: string[] = [];
    for (const run of ["one", "two"])
      whenAnswered(shared, (answer) => told.push(`${run} ${"problem" in answer && answer.problem.title}`));
    whenAnswered(fault("taken"), () => told.push("another"));
    noteAnswer(shared, answerOf("Taken"));
    noteAnswer(shared, answerOf("Taken again"));

    assert.deepEqual(told, ["one Taken", "two Taken"]);
  });

  test("is kept for a bounded number of runs that share a fault nobody answers", () => {
    const shared = fault("taken");
    let told = 0;
    for (let i = 0; i < 1000; i += 1) whenAnswered(shared, () => (told += 1));
    noteAnswer(shared, answerOf("Taken"));

    assert.equal(told, 16);
  });

  test("is answered all the same where who records it fails", () => {
    const shared = fault("taken");
    const told: string[] = [];
    whenAnswered(shared, () => {
      throw new Error("no text");
    });
    whenAnswered(shared, () => told.push("second"));
    noteAnswer(shared, answerOf("Taken"));

    assert.deepEqual(told, ["second"]);
  });
});
