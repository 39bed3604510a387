import assert from "node:assert/strict";
import { test } from "node:test";

import type { Recorder, TracedRun } from "framework";

import { joinedRecorder } from "#http/request/joined-recorder.js";

for (const isLasting of [true, false])
  test(`a joined recorder tells each, whatever the others throw, ${isLasting ? "for many runs" : "for one run"}`, async () => {
    const told: string[] = [];
    const thrown = new Error("broken");
    const broken: Recorder = {
      ended: () => {
        told.push("broken");
        throw thrown;
      },
    };
    const whole: Recorder = { ended: () => void told.push("whole") };
    const joined = joinedRecorder([broken, whole], isLasting);
    const answer: unknown = joined?.ended?.({} as TracedRun, 1);

    assert.deepEqual(told, ["broken", "whole"]);
    await assert.rejects(Promise.resolve(answer), thrown);
  });
